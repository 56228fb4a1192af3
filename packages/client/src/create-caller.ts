import { type CallOptions, type ClientOptions, settled } from "./call-options.ts";
import type { ChangingCallOptions } from "./client.ts";
import { startDeadline } from "./deadline.ts";
import { isProductSearchError } from "./failures.ts";
import { asFailure, send } from "./send.ts";

const keyBytes = 16;

/** The options for openapi-fetch: a `fetch` with retries and a deadline. */
export type Init = { fetch: (request: Request) => Promise<Response> };
type Work<Output> = (init: Init) => Promise<Output>;
type ChangingWork<Output> = (init: Init, header: { "Idempotency-Key": string }) => Promise<Output>;

/** Runs the requests of a method under one deadline. */
export function createCaller(client: ClientOptions) {
  const { fetch = (request: Request) => globalThis.fetch(request) } = client;

  function begin(options: CallOptions, repeatable: boolean) {
    const { timeoutMs, retries, signal, ...hooks } = settled(client, options);
    const deadline = startDeadline(timeoutMs, signal);
    const sending = { ...hooks, fetch, deadline, retries: repeatable ? retries : 0 };
    return { deadline, init: { fetch: (request: Request) => send(request, sending) } };
  }

  async function run<Output>(
    options: CallOptions,
    repeatable: boolean,
    work: Work<Output>,
    site: CallSite,
  ): Promise<Output> {
    const { deadline, init } = begin(options, repeatable);
    try {
      return await work(init);
    } catch (error) {
      throw showCallSite(explainBaseUrl(error, client), site);
    } finally {
      deadline.end();
    }
  }

  /** For operations that only read: retries. */
  const read = <Output>(options: CallOptions, work: Work<Output>) => run(options, true, work, callSite(read));

  /** For operations that change something: no retries, because a lost response does not say whether the change was made. */
  const change = <Output>(options: CallOptions, work: Work<Output>) =>
    run(options, false, work, callSite(change));

  /** For changes with an idempotency key: retries, because the service does nothing twice. */
  const changeByKey = <Output>(
    { idempotencyKey = newIdempotencyKey(), ...options }: ChangingCallOptions,
    work: ChangingWork<Output>,
  ) => run(options, true, (init) => work(init, { "Idempotency-Key": idempotencyKey }), callSite(changeByKey));

  return {
    read,
    change,
    changeByKey,

    /** For streams: retries only until the stream has started. */
    async *stream<Item>(
      options: CallOptions,
      open: (init: Init) => Promise<Response>,
      items: (response: Response) => AsyncGenerator<Item, void>,
    ): AsyncGenerator<Item, void> {
      const site = callSite();
      const { deadline, init } = begin(options, true);
      try {
        yield* items(await open(init));
      } catch (error) {
        throw showCallSite(explainBaseUrl(asFailure(error, deadline), client), site);
      } finally {
        deadline.end();
      }
    },
  };
}

/** A base URL without the version is the usual reason why a path of the client does not exist. */
function explainBaseUrl(error: unknown, { baseUrl }: ClientOptions): unknown {
  const hasVersion = /\/v\d+\/?$/.test(baseUrl);
  if (!isProductSearchError(error) || hasVersion) return error;
  if (error.code !== "not_found" && error.code !== "unexpected_response") return error;
  error.message += ` baseUrl "${baseUrl}" has no version: use "${baseUrl.replace(/\/+$/, "")}/api/v1".`;
  return error;
}

/** Where the partner's code has called the client. */
interface CallSite {
  stack?: string;
}

type Capture = (target: object, above?: (...given: never[]) => unknown) => void;

/** The stack frames that led here, without those from `above` on. Call it before the first await. */
function callSite(above?: (...given: never[]) => unknown): CallSite {
  const { captureStackTrace }: { captureStackTrace?: Capture } = Error;
  if (!captureStackTrace) return {};
  const site: CallSite = {};
  captureStackTrace(site, above);
  return site;
}

/**
 * Gives an error of the client the stack of the call. The error's own stack begins where the response was read, and
 * does not contain the partner's code.
 */
function showCallSite(error: unknown, { stack }: CallSite): unknown {
  if (!isProductSearchError(error) || stack === undefined) return error;
  const frames = stack.slice(stack.indexOf("\n"));
  Object.defineProperty(error, "stack", { value: `${error.name}: ${error.message}${frames}` });
  return error;
}

/**
 * A random key. Without Web Crypto (Node 18) it is less random, which is sufficient: keys must differ, but need not
 * be secret.
 */
function newIdempotencyKey(): string {
  const bytes = new Uint8Array(keyBytes);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(bytes);
  else for (let at = 0; at < keyBytes; at++) bytes[at] = Math.random() * 256;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
