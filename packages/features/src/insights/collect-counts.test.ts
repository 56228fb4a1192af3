import type { QueryCount } from "@product-search/core/ports/insights.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCountCollector } from "./collect-counts.ts";
import type { NotedSearch } from "./count-searches.ts";

/** What is stored: the searches and the number of results of each text. */
function collect(storeEveryMs = 3_600_000) {
  const batches: number[] = [];
  const stored = new Map<string, Pick<QueryCount, "searches" | "results">>();
  let beforeStoring = () => {};
  const collector = createCountCollector({
    insightStore: {
      async addSearches(counts) {
        beforeStoring();
        for (const { query = "", searches, results } of counts) stored.set(query, { searches, results });
      },
      async addEvents(events) {
        batches.push(events.length);
        return events.map(({ productId }) => (productId === "unknown" ? "unknown_product" : "counted"));
      },
    },
    clock: { now: () => 0 },
    onError: () => {},
    storeEveryMs,
    storeEventsEveryMs: 1,
  });
  onTestFinished(() => collector.stop());
  return {
    stored,
    batches,
    collector,
    receive: (...searches: NotedSearch[]) => collector.receive(searches),
    whenStoring(work: () => void) {
      beforeStoring = work;
    },
  };
}

const search = (text: string, atMs: number, results = 1, client = "backend"): NotedSearch => ({
  client,
  text,
  query: text,
  results,
  isRelaxed: false,
  atMs,
});

test("a text is continued by the next search of its client alone, in whatever order the threads report them", async () => {
  const { collector, receive, stored } = collect();
  receive(search("sofa bed", 900), search("lamp", 500), search("sofa", 100));
  receive(search("so", 0), search("sofa cover", 200, 1, "another shop"));
  await collector.storeAll();
  expect([...stored.keys()].toSorted()).toEqual(["lamp", "sofa", "sofa bed", "sofa cover"]);
});

test("searches are counted although the clock was set back after them", async () => {
  const { receive, stored } = collect(1);
  receive(search("lamp", 40 * 24 * 3_600_000));
  await vi.waitFor(() => expect([...stored.keys()]).toEqual(["lamp"]), { timeout: 60_000 });
});

test("the same text again, and one after more than two seconds, is another search", async () => {
  const { collector, receive, stored } = collect();
  receive(search("desk", 0), search("desk", 10), search("desk lamp", 2011));
  await collector.storeAll();
  expect(stored).toEqual(
    new Map([
      ["desk", { searches: 2, results: 1 }],
      ["desk lamp", { searches: 1, results: 1 }],
    ]),
  );
});

test("after a failed write, the number of results is that of the newest search", async () => {
  const { collector, receive, stored, whenStoring } = collect();
  whenStoring(() => {
    whenStoring(() => {});
    receive(search("rug", 5000, 9));
    // The newer search is settled while the older one is being stored.
    void collector.storeAll();
    throw new Error("The store is not reachable.");
  });
  receive(search("rug", 0, 4));
  await collector.storeAll();
  await collector.storeAll();
  expect(stored).toEqual(new Map([["rug", { searches: 2, results: 9 }]]));
});

test("events of several requests are stored together, and each request hears of its own", async () => {
  const { collector, batches } = collect();
  const send = (...ids: string[]) =>
    collector.addEvents(ids.map((productId) => ({ type: "click", productId, atMs: 0 })));
  expect(await Promise.all([send("a", "unknown"), send("b"), send()])).toEqual([
    ["counted", "unknown_product"],
    ["counted"],
    [],
  ]);
  expect(batches).toEqual([3]);
  const many = await Promise.all(Array.from({ length: 205 }, () => send(...Array(100).fill("a"))));
  expect(many.filter(([outcome]) => outcome === "overload")).toHaveLength(5);
});
