import type { Transferable } from "node:worker_threads";
import {
  type BusClient,
  type Channel,
  createBusClient,
  createDirectChannel,
  type Message,
} from "./bus-client.ts";

/** Passes topics, calls and replies between all threads, including the main thread. It runs in the main thread. */
export interface MessageBus {
  /** The bus client of the main thread. */
  client: BusClient;
  /** Connects a part of a thread. */
  connect(channel: Channel): Connection;
  /**
   * For services whose threads run only while they are needed: `onNeeded` is called when no thread offers the service, and
   * when all of them are busy. Without a thread, a few calls wait for one.
   */
  serveOnDemand(services: readonly string[], onNeeded: () => void): void;
  /** Fails the calls that wait for a thread with one of these services: none can be started. */
  refuseWaiting(services: readonly string[]): void;
  /** Asks every connected thread for a reply. A thread that fails or is late is left out. */
  poll(name: string, timeoutMs: number): Promise<unknown[]>;
}

export interface Connection {
  /** Fails the unfinished calls of this part. */
  disconnect(): void;
  /** When its last call ended, as `performance.now()` tells it; undefined while it starts or handles calls. */
  idleSince(): number | undefined;
}

/** Calls that wait until a thread has started: it takes some tenths of a second. */
const maxWaitingForThread = 20;

type Call = Extract<Message, { kind: "call" }>;

interface OnDemand {
  onNeeded(): void;
  waiting: { caller: Member; message: Call }[];
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
  /** Undefined until it offers a service: a thread that starts is not idle. */
  idleSince: number | undefined;
}

export function createMessageBus(): MessageBus {
  const members = new Set<Member>();
  const newest = new Map<string, unknown>();
  const polls = new Map<number, (output: unknown) => void>();
  const onDemand = new Map<string, OnDemand>();
  let lastId = 0;

  function routeCall(caller: Member, message: Call): void {
    const server = leastBusy(members, message.service);
    const demand = onDemand.get(message.service);
    if (!server && demand && demand.waiting.length < maxWaitingForThread) {
      demand.waiting.push({ caller, message });
      demand.onNeeded();
      return;
    }
    if (server && server.working.size > 0) demand?.onNeeded();
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
    endCall(server, message.id);
    // The caller of a cancelled call no longer waits.
    if (call.caller.calling.delete(call.callerId))
      call.caller.channel.send({ ...message, id: call.callerId });
  }

  function endCall(server: Member, id: number): void {
    server.working.delete(id);
    server.idleSince = performance.now();
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
        from.idleSince ??= performance.now();
        for (const { caller, message: call } of onDemand.get(message.service)?.waiting.splice(0) ?? [])
          routeCall(caller, call);
        return;
      case "call":
        routeCall(from, message);
        return;
      case "cancel": {
        const call = from.calling.get(message.id);
        from.calling.delete(message.id);
        if (call) call.server.channel.send({ kind: "cancel", id: call.id });
        else dropWaiting(({ caller, message: { id } }) => caller === from && id === message.id);
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

  function dropWaiting(isDropped: (call: OnDemand["waiting"][number]) => boolean): void {
    for (const demand of onDemand.values())
      demand.waiting = demand.waiting.filter((call) => !isDropped(call));
  }

  function connect(channel: Channel): Connection {
    const member: Member = {
      channel,
      services: new Set(),
      topics: new Set(),
      listens: false,
      working: new Map(),
      calling: new Map(),
      idleSince: undefined,
    };
    members.add(member);
    channel.onMessage((message) => {
      // What a part sent before it failed may arrive later.
      if (members.has(member)) route(member, message);
    });
    return {
      disconnect() {
        members.delete(member);
        dropWaiting(({ caller }) => caller === member);
        for (const { caller, callerId } of member.working.values()) {
          caller.calling.delete(callerId);
          caller.channel.send({ kind: "failure", id: callerId, ...notOffered });
        }
        for (const { server, id } of member.calling.values()) server.channel.send({ kind: "cancel", id });
      },
      idleSince: () => (member.working.size > 0 ? undefined : member.idleSince),
    };
  }

  const [own, other] = createDirectChannel();
  const client = createBusClient(own);
  connect(other);

  return {
    client,
    connect,
    serveOnDemand(services, onNeeded) {
      for (const service of services) onDemand.set(service, { onNeeded, waiting: [] });
    },
    refuseWaiting(services) {
      for (const service of services)
        for (const { caller, message } of onDemand.get(service)?.waiting.splice(0) ?? [])
          caller.channel.send({ kind: "failure", id: message.id, ...notOffered });
    },
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
