import { type CallOptions, type ClientOptions, settled } from "./call-options.ts";
import { type CallSite, callSite, showCallSite } from "./call-site.ts";
import type { ChangingCallOptions } from "./client.ts";
import { startDeadline } from "./deadline.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import { asFailure, send } from "./send.ts";

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
      throw showCallSite(error, site);
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
        throw showCallSite(asFailure(error, deadline), site);
      } finally {
        deadline.end();
      }
    },
  };
}
