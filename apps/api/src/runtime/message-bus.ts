import type { Transferable } from "node:worker_threads";
import { createLink, type Message, type ThreadLink, type Wire } from "./bus-client.ts";

/** The middle of the star: relays topics, calls and answers between threads, the main thread among them. */
export interface Hub {
  /** The main thread's own link. */
  link: ThreadLink;
  /** Joins a thread; the returned function takes it out again and fails the calls it still had. */
  join(wire: Wire): () => void;
  /** Asks every thread that listens; one that fails or is late is left out. */
  poll(name: string, timeoutMs: number): Promise<unknown[]>;
}

interface Member {
  wire: Wire;
  services: Set<string>;
  topics: Set<string>;
  /** A thread that is still being loaded cannot answer. */
  listens: boolean;
  /** Calls handed to this member and not answered yet. */
  open: Map<number, { caller: Member; callerId: number }>;
}

export function createHub(): Hub {
  const members = new Set<Member>();
  const newest = new Map<string, unknown>();
  const polls = new Map<number, (output: unknown) => void>();
  let lastId = 0;

  function route(from: Member, message: Message): void {
    switch (message.kind) {
      case "publish":
        newest.set(message.topic, message.value);
        // Only to those who want it: what a message brings stays in a thread until that collects its garbage.
        for (const member of members) if (member.topics.has(message.topic)) member.wire.post(message);
        return;
      case "subscribe":
        from.topics.add(message.topic);
        if (newest.has(message.topic))
          from.wire.post({ kind: "publish", topic: message.topic, value: newest.get(message.topic) });
        return;
      case "join":
        from.listens = true;
        return;
      case "serve":
        from.services.add(message.service);
        return;
      case "call": {
        const server = leastBusy(members, message.service);
        if (!server) {
          from.wire.post({ kind: "failure", id: message.id, ...notOffered });
          return;
        }
        lastId += 1;
        server.open.set(lastId, { caller: from, callerId: message.id });
        server.wire.post({ ...message, id: lastId }, transferables(message.input));
        return;
      }
      case "answer":
      case "failure": {
        const call = from.open.get(message.id);
        from.open.delete(message.id);
        if (call) call.caller.wire.post({ ...message, id: call.callerId });
        else polls.get(message.id)?.(message.kind === "answer" ? message.output : undefined);
        return;
      }
      case "poll":
        return;
    }
  }

  function join(wire: Wire): () => void {
    const member: Member = { wire, services: new Set(), topics: new Set(), listens: false, open: new Map() };
    members.add(member);
    wire.listen((message) => route(member, message));
    return () => {
      members.delete(member);
      for (const { caller, callerId } of member.open.values()) {
        caller.wire.post({ kind: "failure", id: callerId, ...notOffered });
      }
    };
  }

  const [own, other] = createDirectWires();
  const link = createLink(own);
  join(other);

  return {
    link,
    join,
    async poll(name, timeoutMs) {
      const answers = [...members]
        .filter((member) => member.listens && member.wire !== other)
        .map((member) => {
          lastId += 1;
          const id = lastId;
          return new Promise<unknown>((resolve) => {
            const late = setTimeout(resolve, timeoutMs, undefined);
            polls.set(id, (output) => {
              clearTimeout(late);
              resolve(output);
            });
            member.wire.post({ kind: "poll", id, name });
          }).finally(() => polls.delete(id));
        });
      return (await Promise.all(answers)).filter((answer) => answer !== undefined);
    },
  };
}

const notOffered = {
  code: "unavailable",
  message: "The service is still starting or has no room. Try again shortly.",
  retryAfterSeconds: 1,
} as const;

function leastBusy(members: Iterable<Member>, service: string): Member | undefined {
  let best: Member | undefined;
  for (const member of members) {
    if (member.services.has(service) && (!best || member.open.size < best.open.size)) best = member;
  }
  return best;
}

/** Large inputs are moved on, not copied again. */
function transferables(input: unknown): Transferable[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.values(input).flatMap((value) =>
    value instanceof Uint8Array &&
    value.buffer instanceof ArrayBuffer &&
    value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : [],
  );
}

/** Two ends of a wire inside one thread, delivering later as a message port does. */
export function createDirectWires(): [Wire, Wire] {
  const listeners: [((message: Message) => void)[], ((message: Message) => void)[]] = [[], []];
  const end = (own: 0 | 1, peer: 0 | 1): Wire => ({
    post: (message) =>
      queueMicrotask(() => {
        for (const listener of listeners[peer]) listener(message);
      }),
    listen: (listener) => void listeners[own].push(listener),
  });
  return [end(0, 1), end(1, 0)];
}
