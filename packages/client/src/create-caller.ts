import { statusOfCode } from "@product-search/types";
import { type CallOptions, type ClientOptions, settled } from "./call-options.ts";
import type { ChangingCallOptions } from "./client.ts";
import {
  failed,
  isProductSearchError,
  noResponse,
  type ProductSearchError,
  type ServiceFailure,
} from "./failures.ts";

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

interface Sending extends Pick<CallOptions, "headers"> {
  fetch: (request: Request) => Promise<Response>;
  deadline: Deadline;
  /** The maximum number of retries; 0 if the request must not be repeated. */
  retries: number;
  onRequest?: CallOptions["onRequest"] | undefined;
  onResponse?: CallOptions["onResponse"] | undefined;
  onError?: CallOptions["onError"] | undefined;
}

const worthRetrying = new Set<number | undefined>([429, 502, 503, 504]);
const maxPauseMs = 8000;
/** A day. Timers cannot wait longer than 24 days: they would end at once. */
const maxAskedPauseMs = 86_400_000;

/** Sends a request, with retries. Throws a `ProductSearchError` if it does not succeed. */
export async function send(request: Request, sending: Sending): Promise<Response> {
  sending.deadline.noteRequest(request);
  for (const [name, value] of Object.entries(sending.headers ?? {})) request.headers.set(name, value);
  for (let tried = 0; ; tried++) {
    const last = tried >= sending.retries;
    try {
      return await sendOnce(last ? request : request.clone(), sending);
    } catch (error) {
      if (last || !isProductSearchError(error) || !isWorthRetrying(error)) throw error;
      const pauseMs = pauseBefore(tried, error.retryAfter);
      // A wait beyond the time limit would only replace this error with a timeout.
      if (pauseMs >= sending.deadline.remainingMs()) throw error;
      await pause(pauseMs, sending.deadline.signal);
    }
  }
}

async function sendOnce(given: Request, sending: Sending): Promise<Response> {
  const { fetch, deadline, onRequest, onResponse, onError } = sending;
  // A hook that throws is a fault of the partner's program, not of the network.
  const changed = await onRequest?.(given);
  const request = changed instanceof Request ? changed : given;
  try {
    const response = await fetch(deadline.attach(request));
    onResponse?.(response, request);
    const streamed = response.ok && response.headers.get("content-type")?.startsWith("text/event-stream");
    return streamed ? response : await readResponse(response);
  } catch (caught) {
    const error = asFailure(caught, deadline);
    onError?.(error, request);
    throw error;
  }
}

/** The error to throw: the reason of an abort, a `ProductSearchError` unchanged, anything else as a network error. */
function asFailure(error: unknown, { signal, requestName }: Deadline): unknown {
  if (isProductSearchError(error)) return error;
  if (signal.aborted) return signal.reason;
  const fault = systemCode(error);
  return failed(
    `${requestName() ?? "The request"}: the connection failed before the response was complete${fault ? ` (${fault})` : ""}. ` +
      "See the cause for details.",
    noResponse("network_error"),
    error,
  );
}

/** The name of the fault in Node (`ECONNREFUSED`), which `fetch` hides in the cause. Browsers give none. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : systemCode(error.cause);
}

function isWorthRetrying({ code, status }: ProductSearchError): boolean {
  // The first request with the key is still running: its response comes with the next try.
  return code === "network_error" || code === "idempotency_in_flight" || worthRetrying.has(status);
}

/** The seconds of `Retry-After`, or exponential backoff; with jitter, so that clients do not retry at the same time. */
export function pauseBefore(tried: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return Math.min(retryAfter * 1000, maxAskedPauseMs) + Math.random() * 250;
  const ceiling = Math.min(maxPauseMs, 500 * 2 ** tried);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** The time limit of a call, including retries and pauses, combined with the caller's signal. */
interface Deadline {
  /** Aborts at the time limit or when the caller aborts, with the reason to throw. */
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  /**
   * The request with this signal. Undici keeps only a weak reference to the signal of a request: without another reference to
   * the request, the garbage collector removes it and the abort never arrives.
   */
  readonly attach: (request: Request) => Request;
  /** Remembers the current request, so that an error can name it. */
  readonly noteRequest: (request: Request) => void;
  /** Method and URL of that request, without the query: search texts do not belong in logs. */
  readonly requestName: () => string | undefined;
  /** Call it at the end of the call: it releases the timer and the caller's signal. */
  readonly end: () => void;
}

function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  let requestName: string | undefined;
  const held = new Set<Request>();
  const timer = setTimeout(() => {
    controller.abort(timedOut(timeoutMs, requestName));
    held.clear();
  }, timeoutMs);
  const onAbort = () => controller.abort(callerSignal?.reason);
  callerSignal?.addEventListener("abort", onAbort, { once: true });
  if (callerSignal?.aborted) onAbort();
  return {
    signal: controller.signal,
    remainingMs: () => endsAt - performance.now(),
    attach: (request) => {
      const attached = new Request(request, { signal: controller.signal });
      held.add(attached);
      return attached;
    },
    noteRequest: ({ method, url }) => {
      const { origin, pathname } = new URL(url);
      requestName = `${method} ${origin}${pathname}`;
    },
    requestName: () => requestName,
    end: () => {
      clearTimeout(timer);
      held.clear();
      callerSignal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Waits. Throws the reason of the signal if that aborts first. */
function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, durationMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

function timedOut(timeoutMs: number, requestName = "The request") {
  return failed(
    `${requestName}: no complete response within ${timeoutMs} ms. Raise timeoutMs, or try again later.`,
    noResponse("timeout"),
  );
}

/** The HTTP status of a code; undefined for an unknown code. */
export const statusOf = new Map<unknown, number>(Object.entries(statusOfCode));

/** Reads a response completely. Returns a successful one with a body that can be read again; throws for all others. */
async function readResponse(response: Response): Promise<Response> {
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && (fieldOf(body, "status") === "success" || fieldOf(body, "success") === true)) {
    return new Response(text, { status: response.status, headers: response.headers });
  }
  throw failureOf(response, response.status, body);
}

/** The typed error for an error body. */
export function failureOf(response: Response, status: number, body: unknown): ProductSearchError {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const details = { status, code: fieldOf(body, "code"), body, requestId, retryAfter, response };
  if (isServiceFailure(details)) return failed(messageOf(details.body), details);
  const said = typeof body === "string" ? body : JSON.stringify(body);
  return failed(`The response (status ${status}) is not from the service: ${excerpt(said)}`, {
    ...details,
    code: "unexpected_response",
  });
}

/** Seconds, also of a date. */
export function secondsOf(retryAfter: string | null): number | undefined {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const date = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.ceil(Math.max(0, date - Date.now()) / 1000);
}

function isServiceFailure(details: { status: number; code: unknown }): details is ServiceFailure {
  return statusOf.get(details.code) === details.status;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null
    ? Object.entries(body).find(([key]) => key === name)?.[1]
    : undefined;
}

function messageOf(body: ServiceFailure["body"]): string {
  if ("data" in body) return body.data;
  return "error" in body ? `${body.message}: ${body.error}` : body.message;
}

function excerpt(text: string): string {
  return text === "" ? "it is empty." : text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
