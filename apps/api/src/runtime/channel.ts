import type { Transferable } from "node:worker_threads";
import type { TraceHeaders } from "./tracing/start-tracing.ts";

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
