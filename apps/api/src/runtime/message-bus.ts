import type { Transferable } from "node:worker_threads";
import { type BusClient, createBusClient } from "./bus-client.ts";
import { type Channel, createDirectChannel, type Message } from "./channel.ts";

/** Passes topics, calls and replies between all threads, including the main thread. It runs in the main thread. */
export interface MessageBus {
  /** The bus client of the main thread. */
  client: BusClient;
  /** Connects a thread. The returned function disconnects it and fails its unfinished calls. */
  connect(channel: Channel): () => void;
  /** Asks every connected thread for a reply. A thread that fails or is late is left out. */
  poll(name: string, timeoutMs: number): Promise<unknown[]>;
}

interface Member {
  channel: Channel;
  services: Set<string>;
  topics: Set<string>;
  /** False for a thread that is still loading and cannot reply. */
  listens: boolean;
  /** Calls that this member handles, by the bus's number. */
  working: Map<number, { caller: Member; callerId: number }>;
  /** Calls that this member waits for, by its own number. */
  calling: Map<number, { server: Member; id: number }>;
}

export function createMessageBus(): MessageBus {
  const members = new Set<Member>();
  const newest = new Map<string, unknown>();
  const polls = new Map<number, (output: unknown) => void>();
  let lastId = 0;

  function routeCall(caller: Member, message: Extract<Message, { kind: "call" }>): void {
    const server = leastBusy(members, message.service);
    if (!server) {
      caller.channel.send({ kind: "failure", id: message.id, ...notOffered });
      return;
    }
    lastId += 1;
    server.working.set(lastId, { caller, callerId: message.id });
    caller.calling.set(message.id, { server, id: lastId });
    server.channel.send({ ...message, id: lastId }, transferables(message.input));
  }

  function routeReply(server: Member, message: Extract<Message, { kind: "reply" | "failure" }>): void {
    const call = server.working.get(message.id);
    if (!call) {
      polls.get(message.id)?.(message.kind === "reply" ? message.output : undefined);
      return;
    }
    server.working.delete(message.id);
    // The caller of a cancelled call no longer waits.
    if (call.caller.calling.delete(call.callerId))
      call.caller.channel.send({ ...message, id: call.callerId });
  }

  function route(from: Member, message: Message): void {
    switch (message.kind) {
      case "publish":
        newest.set(message.topic, message.value);
        // Only to subscribers: the values of a message stay in a thread until its garbage is collected.
        for (const member of members) if (member.topics.has(message.topic)) member.channel.send(message);
        return;
      case "subscribe":
        from.topics.add(message.topic);
        if (newest.has(message.topic))
          from.channel.send({ kind: "publish", topic: message.topic, value: newest.get(message.topic) });
        return;
      case "join":
        from.listens = true;
        return;
      case "serve":
        from.services.add(message.service);
        return;
      case "call":
        routeCall(from, message);
        return;
      case "cancel": {
        const call = from.calling.get(message.id);
        from.calling.delete(message.id);
        call?.server.channel.send({ kind: "cancel", id: call.id });
        return;
      }
      case "reply":
      case "failure":
        routeReply(from, message);
        return;
      case "poll":
        return;
    }
  }

  function connect(channel: Channel): () => void {
    const member: Member = {
      channel,
      services: new Set(),
      topics: new Set(),
      listens: false,
      working: new Map(),
      calling: new Map(),
    };
    members.add(member);
    channel.onMessage((message) => route(member, message));
    return () => {
      members.delete(member);
      for (const { caller, callerId } of member.working.values()) {
        caller.calling.delete(callerId);
        caller.channel.send({ kind: "failure", id: callerId, ...notOffered });
      }
      for (const { server, id } of member.calling.values()) server.channel.send({ kind: "cancel", id });
    };
  }

  const [own, other] = createDirectChannel();
  const client = createBusClient(own);
  connect(other);

  return {
    client,
    connect,
    async poll(name, timeoutMs) {
      const replies = [...members]
        .filter((member) => member.listens && member.channel !== other)
        .map((member) => {
          lastId += 1;
          const id = lastId;
          return new Promise<unknown>((resolve) => {
            const timer = setTimeout(resolve, timeoutMs, undefined);
            polls.set(id, (output) => {
              clearTimeout(timer);
              resolve(output);
            });
            member.channel.send({ kind: "poll", id, name });
          }).finally(() => polls.delete(id));
        });
      return (await Promise.all(replies)).filter((reply) => reply !== undefined);
    },
  };
}

const notOffered = {
  code: "unavailable",
  message: "The service is still starting or overloaded. Try again shortly.",
  retryAfterSeconds: 1,
} as const;

function leastBusy(members: Iterable<Member>, service: string): Member | undefined {
  let best: Member | undefined;
  for (const member of members) {
    if (member.services.has(service) && (!best || member.working.size < best.working.size)) best = member;
  }
  return best;
}

/** Large inputs are transferred, not copied again. */
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
