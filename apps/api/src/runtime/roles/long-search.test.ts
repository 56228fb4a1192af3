import { createFairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import type { TextHits, TextQuery } from "@product-search/core/ports/text-search.ts";
import { expect, it } from "vitest";
import { createBusClient, type Message } from "../bus-client.ts";
import { createMessageBus } from "../message-bus.ts";
import { callLongSearch } from "./long-search.ts";

const never = new AbortController().signal;
const query: TextQuery = { text: "lamp", filters: {}, sort: "relevance", offset: 0, limit: 5 };

/** Two threads on a bus: one that calls, and one that serves. */
function joinThreads() {
  const bus = createMessageBus();
  const sendTo = (receivers: ((message: Message) => void)[], message: Message) =>
    queueMicrotask(() => {
      for (const receive of receivers) receive(message);
    });
  const join = () => {
    const toBus: ((message: Message) => void)[] = [];
    const toThread: ((message: Message) => void)[] = [];
    bus.connect({
      send: (message) => sendTo(toThread, message),
      onMessage: (receive) => void toBus.push(receive),
    });
    return createBusClient({
      send: (message) => sendTo(toBus, message),
      onMessage: (receive) => void toThread.push(receive),
    });
  };
  return [join(), join()] as const;
}

it("the caller of a long search pays for the processor time of the other thread", async () => {
  const [http, other] = joinThreads();
  const hits: TextHits = { rowIds: [7], total: 1, sourceHas: "thing", droppedWords: [] };
  other.serve("searchLong", { concurrency: 1, maxWaiting: 1 }, async () => ({
    result: hits,
    processorMs: 400,
  }));
  const queue = createFairQueue();
  const found = await queue.run(
    "caller",
    () => never,
    () => callLongSearch(http).search(query, never),
  );
  expect(found).toEqual(hits);
  expect(queue.usedMs("caller")).toBeGreaterThan(350);
  expect(queue.usedMs("other")).toBe(0);
});

it("what follows a search that was made elsewhere is charged as well", async () => {
  const [http, other] = joinThreads();
  other.serve("findBrandsLong", { concurrency: 1, maxWaiting: 1 }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { result: [], processorMs: 0 };
  });
  const queue = createFairQueue();
  await queue.run(
    "caller",
    () => never,
    async () => {
      await callLongSearch(http).findBrands("lamp", 5);
      const startMs = process.threadCpuUsage().user / 1000;
      while (process.threadCpuUsage().user / 1000 < startMs + 40);
    },
  );
  await new Promise(setImmediate);
  expect(queue.usedMs("caller")).toBeGreaterThan(30);
});

it("one HTTP thread has one search at a time made elsewhere", async () => {
  const [http, other] = joinThreads();
  let running = 0;
  let most = 0;
  other.serve("suggestLong", { concurrency: 10, maxWaiting: 10 }, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return { result: { queries: [], brands: [], categories: [], rowIds: [] }, processorMs: 5 };
  });
  const long = callLongSearch(http);
  const suggestion = {
    text: "lam",
    source: "catalog",
    queryLimit: 5,
    nameLimit: 5,
    productLimit: 5,
  } as const;
  await Promise.all(Array.from({ length: 5 }, () => long.suggest(suggestion, never)));
  expect(most).toBe(1);
});
