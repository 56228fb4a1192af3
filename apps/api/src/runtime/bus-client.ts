import type { Transferable } from "node:worker_threads";
import { ApiError, type ErrorCode, statusOfCode } from "@product-search/core/errors.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import type { Polls, Services, Topics } from "./roles/messages.ts";
import { activeTraceHeaders, type TraceHeaders, withinTrace } from "./tracing/start-tracing.ts";

/** Carries messages between a thread and the bus: a message port, or a direct connection inside one thread. */
export interface Channel {
  send(message: Message, transfer?: readonly Transferable[]): void;
  onMessage(listener: (message: Message) => void): void;
}

export type Message =
  /** The first message of a thread: it is ready to receive messages. */
  | { kind: "join" }
  | { kind: "publish"; topic: string; value: unknown }
  /** The thread subscribes to the topic and first gets its newest value. */
  | { kind: "subscribe"; topic: string }
  | { kind: "serve"; service: string }
  | { kind: "call"; id: number; service: string; input: unknown; trace?: TraceHeaders }
  /** The caller of `id` no longer waits: its client disconnected, or its deadline passed. */
  | { kind: "cancel"; id: number }
  | { kind: "reply"; id: number; output: unknown }
  | { kind: "failure"; id: number; code: string | undefined; message: string; retryAfterSeconds?: number }
  | { kind: "poll"; id: number; name: string };

/** The two ends of a channel within one thread. Like a message port, it delivers asynchronously. */
export function createDirectChannel(): [Channel, Channel] {
  const listeners: [((message: Message) => void)[], ((message: Message) => void)[]] = [[], []];
  const end = (own: 0 | 1, peer: 0 | 1): Channel => ({
    send: (message) =>
      queueMicrotask(() => {
        for (const listener of listeners[peer]) listener(message);
      }),
    onMessage: (listener) => void listeners[own].push(listener),
  });
  return [end(0, 1), end(1, 0)];
}

export interface CallOptions {
  timeoutMs: number;
  /** If it aborts, or the time limit is reached, the work in the other thread is cancelled too. */
  signal?: AbortSignal;
  transfer?: readonly Transferable[];
}

/** The end of the message bus in one thread. */
export interface BusClient {
  publish<Topic extends keyof Topics>(topic: Topic, value: Topics[Topic]): void;
  /** Called with the newest value at once, if there is one, and with every later one. */
  subscribe<Topic extends keyof Topics>(topic: Topic, listener: (value: Topics[Topic]) => void): void;
  call<Name extends keyof Services>(
    service: Name,
    input: Services[Name]["input"],
    options: CallOptions,
  ): Promise<Services[Name]["output"]>;
  /** Offers a service. The signal aborts when the caller no longer waits. */
  serve<Name extends keyof Services>(
    service: Name,
    limits: ServiceLimits,
    handler: (input: Services[Name]["input"], signal: AbortSignal) => Promise<Services[Name]["output"]>,
  ): void;
  replyToPoll<Name extends keyof Polls>(name: Name, handler: () => Promise<Polls[Name]["output"]>): void;
}

interface PendingCall {
  resolve(output: unknown): void;
  reject(error: Error): void;
}

type Listener = (value: unknown) => void;

/** Both sides are typed by `roles/messages.ts`; in between, messages are plain data. */
export function createBusClient(channel: Channel): BusClient {
  const listeners = new Map<string, Listener[]>();
  const newest = new Map<string, unknown>();
  const services = new Map<string, ServiceHandler>();
  const polls = new Map<string, () => Promise<unknown>>();
  /** Calls of this thread that have no reply yet. */
  const pending = new Map<number, PendingCall>();
  /** Calls that this thread is handling. */
  const active = new Map<number, AbortController>();
  let lastId = 0;

  async function runCall({ id, service, input, trace }: Extract<Message, { kind: "call" }>): Promise<void> {
    const controller = new AbortController();
    active.set(id, controller);
    const handler = services.get(service);
    await reply(channel, id, handler && (() => withinTrace(trace, () => handler(input, controller.signal))));
    active.delete(id);
  }

  channel.onMessage((message) => {
    switch (message.kind) {
      case "publish":
        newest.set(message.topic, message.value);
        for (const listener of listeners.get(message.topic) ?? []) listener(message.value);
        return;
      case "call":
        void runCall(message);
        return;
      case "cancel":
        active.get(message.id)?.abort();
        return;
      case "poll":
        void reply(channel, message.id, polls.get(message.name));
        return;
      case "reply":
        pending.get(message.id)?.resolve(message.output);
        pending.delete(message.id);
        return;
      case "failure":
        pending.get(message.id)?.reject(toError(message));
        pending.delete(message.id);
        return;
    }
  });

  async function call(service: string, input: unknown, { timeoutMs, signal, transfer }: CallOptions) {
    // A signal that has aborted already fires no event any more, also if the time limit passes later.
    if (signal?.aborted) throw overloaded(signal.reason);
    lastId += 1;
    const id = lastId;
    const stop = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    return new Promise<unknown>((resolve, reject) => {
      const cancel = () => {
        pending.delete(id);
        channel.send({ kind: "cancel", id });
        reject(overloaded(stop.reason));
      };
      stop.addEventListener("abort", cancel, { once: true });
      const settle =
        <Value>(settled: (value: Value) => void) =>
        (value: Value) => {
          stop.removeEventListener("abort", cancel);
          settled(value);
        };
      pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      const trace = activeTraceHeaders();
      channel.send({ kind: "call", id, service, input, ...(trace && { trace }) }, transfer);
    });
  }

  const client = {
    publish: (topic: string, value: unknown) => channel.send({ kind: "publish", topic, value }),
    subscribe(topic: string, listener: Listener) {
      if (!listeners.has(topic)) channel.send({ kind: "subscribe", topic });
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
      if (newest.has(topic)) listener(newest.get(topic));
    },
    call,
    serve(service: string, { concurrency: slots, maxWaiting }: ServiceLimits, handler: ServiceHandler) {
      const inSlot = createFairSlots({ slots, maxWaiting, refusal: overloaded });
      services.set(service, (input, signal) => inSlot(() => handler(input, signal), signal));
      channel.send({ kind: "serve", service });
    },
    replyToPoll: (name: string, handler: () => Promise<unknown>) => void polls.set(name, handler),
  };
  channel.send({ kind: "join" });
  return client as BusClient;
}

async function reply(
  channel: Channel,
  id: number,
  work: (() => Promise<unknown>) | undefined,
): Promise<void> {
  try {
    if (!work) throw new Error("This thread does not offer the service that was called.");
    channel.send({ kind: "reply", id, output: await work() });
  } catch (error) {
    const isKnown = error instanceof ApiError;
    const retryAfter = isKnown ? error.headers["retry-after"] : undefined;
    channel.send({
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

interface ServiceLimits {
  /** Maximum number of running calls; further ones wait. */
  concurrency: number;
  /** Maximum number of waiting calls; further ones are refused as `unavailable`. */
  maxWaiting: number;
}

type ServiceHandler = (input: unknown, signal: AbortSignal) => Promise<unknown>;

function overloaded(cause?: unknown): ApiError {
  return new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
    retryAfterSeconds: 1,
    cause,
  });
}
