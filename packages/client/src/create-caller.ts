import { type CallOptions, type ClientOptions, settled } from "./call-options.ts";
import type { ChangingCallOptions } from "./client.ts";
import { startDeadline } from "./deadline.ts";
import { asFailure, send } from "./send.ts";

/** What a call hands to openapi-fetch: our way of sending. */
export type Init = { fetch: (request: Request) => Promise<Response> };
type Work<Answer> = (init: Init) => Promise<Answer>;
type ChangingWork<Answer> = (init: Init, header: { "Idempotency-Key"?: string }) => Promise<Answer>;

/** The ways to run what a method consists of, each under one deadline for all its requests. */
export function createCaller(client: ClientOptions) {
  const { fetch = (request: Request) => globalThis.fetch(request) } = client;

  function begin(options: CallOptions, repeatable: boolean) {
    const { timeoutMs, retries, signal, onResponse } = settled(client, options);
    const deadline = startDeadline(timeoutMs, signal);
    const sending = { fetch, deadline, retries: repeatable ? retries : 0, onResponse };
    return { deadline, init: { fetch: (request: Request) => send(request, sending) } };
  }

  async function run<Answer>(options: CallOptions, repeatable: boolean, work: Work<Answer>): Promise<Answer> {
    const { deadline, init } = begin(options, repeatable);
    try {
      return await work(init);
    } finally {
      deadline.end();
    }
  }

  return {
    /** What only reads is tried again. */
    read: <Answer>(options: CallOptions, work: Work<Answer>) => run(options, true, work),

    /** What changes something is tried once: a lost answer does not tell whether it was done. */
    change: <Answer>(options: CallOptions, work: Work<Answer>) => run(options, false, work),

    /** With a key the service itself sees to it that nothing is done twice. */
    changeByKey: <Answer>({ idempotencyKey, ...options }: ChangingCallOptions, work: ChangingWork<Answer>) =>
      run(options, idempotencyKey !== undefined, (init) =>
        work(init, idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      ),

    /** A stream is tried again only until it has begun. */
    async *stream<Item>(
      options: CallOptions,
      open: (init: Init) => Promise<Response>,
      items: (response: Response) => AsyncGenerator<Item, void>,
    ): AsyncGenerator<Item, void> {
      const { deadline, init } = begin(options, true);
      try {
        yield* items(await open(init));
      } catch (error) {
        throw asFailure(error, deadline);
      } finally {
        deadline.end();
      }
    },
  };
}
