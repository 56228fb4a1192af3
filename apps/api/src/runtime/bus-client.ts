import type { Transferable } from "node:worker_threads";
import { ApiError, type ErrorCode, statusOfCode } from "../errors.ts";
import type { Polls, Services, Topics } from "./roles/messages.ts";

/** One thread's way to all others. */
export interface ThreadLink {
  publish<Topic extends keyof Topics>(topic: Topic, value: Topics[Topic]): void;
  /** Called with the newest value at once, when there is one, and with every later one. */
  subscribe<Topic extends keyof Topics>(topic: Topic, listener: (value: Topics[Topic]) => void): void;
  call<Name extends keyof Services>(
    service: Name,
    input: Services[Name]["input"],
    options: { timeoutMs: number; signal?: AbortSignal; transfer?: readonly Transferable[] },
  ): Promise<Services[Name]["output"]>;
  /** Offers a service; past `concurrency` calls wait, past `mostWaiting` they are refused as `unavailable`. */
  serve<Name extends keyof Services>(
    service: Name,
    bounds: { concurrency: number; mostWaiting: number },
    handler: (input: Services[Name]["input"]) => Promise<Services[Name]["output"]>,
  ): void;
  answerPoll<Name extends keyof Polls>(name: Name, handler: () => Promise<Polls[Name]["output"]>): void;
}

/** The wire: what a link sends and is given, over a message port or straight through a function. */
export interface Wire {
  post(message: Message, transfer?: readonly Transferable[]): void;
  listen(listener: (message: Message) => void): void;
}

export type Message =
  /** The first one: from now on the thread listens. */
  | { kind: "join" }
  | { kind: "publish"; topic: string; value: unknown }
  /** From now on the thread wants the topic, its newest value first. */
  | { kind: "subscribe"; topic: string }
  | { kind: "serve"; service: string }
  | { kind: "call"; id: number; service: string; input: unknown }
  | { kind: "answer"; id: number; output: unknown }
  | { kind: "failure"; id: number; code: string | undefined; message: string; retryAfterSeconds?: number }
  | { kind: "poll"; id: number; name: string };

interface Pending {
  resolve(output: unknown): void;
  reject(error: Error): void;
}

type Listener = (value: unknown) => void;
type Work = (input: unknown) => Promise<unknown>;

/** Typed by `messages.ts` on both sides; in between everything is plain data. */
export function createLink(wire: Wire): ThreadLink {
  const listeners = new Map<string, Listener[]>();
  const newest = new Map<string, unknown>();
  const services = new Map<string, Work>();
  const polls = new Map<string, () => Promise<unknown>>();
  const pending = new Map<number, Pending>();
  let lastId = 0;

  wire.listen((message) => {
    switch (message.kind) {
      case "publish":
        newest.set(message.topic, message.value);
        for (const listener of listeners.get(message.topic) ?? []) listener(message.value);
        return;
      case "call":
        answer(wire, message.id, services.get(message.service), message.input);
        return;
      case "poll":
        answer(wire, message.id, polls.get(message.name), undefined);
        return;
      case "answer":
        pending.get(message.id)?.resolve(message.output);
        pending.delete(message.id);
        return;
      case "failure":
        pending.get(message.id)?.reject(toError(message));
        pending.delete(message.id);
        return;
    }
  });

  const link = {
    publish: (topic: string, value: unknown) => wire.post({ kind: "publish", topic, value }),
    subscribe(topic: string, listener: Listener) {
      if (!listeners.has(topic)) wire.post({ kind: "subscribe", topic });
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
      if (newest.has(topic)) listener(newest.get(topic));
    },
    async call(
      service: string,
      input: unknown,
      options: { timeoutMs: number; signal?: AbortSignal; transfer?: readonly Transferable[] },
    ) {
      lastId += 1;
      const id = lastId;
      const limits = [AbortSignal.timeout(options.timeoutMs), ...(options.signal ? [options.signal] : [])];
      const stop = AbortSignal.any(limits);
      return new Promise<unknown>((resolve, reject) => {
        const abandon = () => {
          pending.delete(id);
          reject(
            new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
              retryAfterSeconds: 1,
              cause: stop.reason,
            }),
          );
        };
        stop.addEventListener("abort", abandon, { once: true });
        const settle =
          <Value>(settled: (value: Value) => void) =>
          (value: Value) => {
            stop.removeEventListener("abort", abandon);
            settled(value);
          };
        pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
        wire.post({ kind: "call", id, service, input }, options.transfer);
      });
    },
    serve(service: string, bounds: { concurrency: number; mostWaiting: number }, handler: Work) {
      services.set(service, bounded(handler, bounds));
      wire.post({ kind: "serve", service });
    },
    answerPoll: (name: string, handler: () => Promise<unknown>) => void polls.set(name, handler),
  };
  wire.post({ kind: "join" });
  return link as ThreadLink;
}

async function answer(wire: Wire, id: number, work: Work | undefined, input: unknown): Promise<void> {
  try {
    if (!work) throw new Error("This thread does not offer what it was asked for.");
    wire.post({ kind: "answer", id, output: await work(input) });
  } catch (error) {
    const isKnown = error instanceof ApiError;
    const retryAfter = isKnown ? error.headers["retry-after"] : undefined;
    wire.post({
      kind: "failure",
      id,
      code: isKnown ? error.code : undefined,
      message: error instanceof Error ? error.message : String(error),
      ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
    });
  }
}

function toError({ code, message, retryAfterSeconds }: Extract<Message, { kind: "failure" }>): Error {
  if (!isErrorCode(code)) return new Error(message);
  return new ApiError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && code in statusOfCode;
}

function bounded(
  work: Work,
  { concurrency, mostWaiting }: { concurrency: number; mostWaiting: number },
): Work {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (input) => {
    if (running >= concurrency) {
      if (waiting.length >= mostWaiting) {
        throw new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
          retryAfterSeconds: 1,
        });
      }
      await new Promise<void>((start) => waiting.push(start));
    } else {
      running += 1;
    }
    try {
      return await work(input);
    } finally {
      // The place goes to the next in line, or becomes free.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
