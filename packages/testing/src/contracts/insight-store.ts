import type {
  CountedEvent,
  InsightKind,
  InsightLimits,
  InsightStore,
  QueryCount,
} from "@product-search/core/ports/insights.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export interface OpenInsightStore {
  store: InsightStore;
  addProducts(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Noon in UTC. */
const startMs = Date.parse("2026-11-20T12:00:00Z");
const hour = startMs / 3_600_000;
const day = Math.floor(hour / 24);
const always = { fromHour: 0, toHour: hour + 100_000 };
const never = new AbortController().signal;

/** Tests for every insight store. Nodes that share a store are two stores here: `open` twice gives two databases. */
export function describeInsightStore(open: (limits: InsightLimits) => Promise<OpenInsightStore>): void {
  let store: InsightStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open({ queriesADay: 5, eventsADay: 6, publicEventsADay: 2 });
    ({ store, close } = opened);
    await opened.addProducts(["p_1", "p_2"]);
  });
  afterEach(() => close());

  const search = (
    query: string | undefined,
    results: number,
    more: Partial<QueryCount> = {},
  ): QueryCount => ({
    hour,
    ...(query !== undefined && { query }),
    searches: 1,
    noResults: results === 0 ? 1 : 0,
    relaxed: 0,
    results,
    ...more,
  });
  const keyed = (...keys: string[]) => ({ keys: keys.map((key) => ({ key, untilMs: startMs + 3_600_000 })) });
  const event = ({ key, ...more }: Partial<CountedEvent> & { key?: string }): CountedEvent => ({
    type: "click",
    productId: "p_1",
    atMs: startMs,
    ...(key !== undefined && keyed(key)),
    ...more,
  });
  const rank = (kind: InsightKind, range = always, limit = 10) => store.rank(kind, range, limit, never);
  const queries = async (kind: InsightKind, range = always, limit = 10) =>
    (await rank(kind, range, limit)).map(({ query }) => query);

  test("starts empty", async () => {
    await store.addSearches([]);
    await store.addEvents([]);
    expect(await rank("top")).toEqual([]);
    expect(await store.totals(always)).toEqual([]);
  });

  test("adds up the searches of all callers by hour and text", async () => {
    await store.addSearches([search("boots", 3), search("lamp", 0), search("boots", 4)]);
    await store.addSearches([
      search("boots", 5),
      search("lamp", 0, { hour: hour + 1, searches: 2, noResults: 2 }),
    ]);
    expect(await rank("top")).toEqual([
      {
        query: "boots",
        searches: 3,
        noResults: 0,
        relaxed: 0,
        results: 5,
        clicks: 0,
        positioned: 0,
        positions: 0,
      },
      {
        query: "lamp",
        searches: 3,
        noResults: 3,
        relaxed: 0,
        results: 0,
        clicks: 0,
        positioned: 0,
        positions: 0,
      },
    ]);
    expect(await rank("top", { fromHour: hour + 1, toHour: hour + 1 })).toMatchObject([
      { query: "lamp", searches: 2 },
    ]);
    expect(await store.totals(always)).toEqual([{ day, searches: 6, noResults: 3, clicks: 0 }]);
  });

  test("counts a text that is not kept in the totals alone", async () => {
    await store.addSearches([search(undefined, 0), search(undefined, 2)]);
    expect(await rank("top")).toEqual([]);
    expect(await store.totals(always)).toEqual([{ day, searches: 2, noResults: 1, clicks: 0 }]);
  });

  test("lists the texts whose words were ignored, by the number of such searches", async () => {
    await store.addSearches([
      search("red boots", 3, { searches: 9, relaxed: 2 }),
      search("blue lamp", 4, { relaxed: 1 }),
      search("mug", 5),
    ]);
    await store.addSearches([search("blue lamp", 4, { hour: hour + 1, searches: 4, relaxed: 4 })]);
    expect(await queries("relaxed")).toEqual(["blue lamp", "red boots"]);
    expect((await rank("relaxed"))[0]).toMatchObject({ searches: 5, relaxed: 5 });
  });

  test("lists the texts whose newest search found nothing, those that nobody clicked, and at most the limit", async () => {
    await store.addSearches([
      search("mended", 0, { searches: 9, noResults: 9 }),
      search("broken", 0, { searches: 5, noResults: 2 }),
      search("worse", 0, { searches: 3, noResults: 3 }),
      search("clicked", 7),
    ]);
    await store.addSearches([search("mended", 4, { hour: hour + 1 })]);
    // A click alone is no search: the newest search is still that one.
    await store.addEvents([
      event({ key: "1", search: { hour, query: "clicked" } }),
      event({ key: "2", search: { hour: hour + 2, query: "mended" } }),
    ]);
    expect(await queries("noResults")).toEqual(["worse", "broken"]);
    expect(await queries("noClicks")).toEqual([]);
    expect(await queries("top", always, 2)).toEqual(["mended", "broken"]);
    expect(await queries("top", { fromHour: hour + 2, toHour: hour + 2 })).toEqual([]);
  });

  test("keeps a number of texts for each day, and counts the others in the totals", async () => {
    await store.addSearches(["a", "b", "c"].map((query) => search(query, 1)));
    await store.addSearches(["d", "e", "f", "g"].map((query) => search(query, 1, { hour: hour + 1 })));
    await store.addSearches(["a", "h"].map((query) => search(query, 1, { hour: hour + 2 })));
    await store.addSearches([search("f", 1, { hour: hour + 24 })]);
    expect((await queries("top")).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect((await rank("top"))[0]).toMatchObject({ query: "a", searches: 2 });
    expect(await store.totals(always)).toEqual([
      { day, searches: 9, noResults: 0, clicks: 0 },
      { day: day + 1, searches: 1, noResults: 0, clicks: 0 },
    ]);
  });

  test("counts an event once, in its search and with its position", async () => {
    await store.addSearches([search("boots", 9)]);
    const click = event({ key: "k1", search: { hour, query: "boots" }, position: 4 });
    await store.addEvents([click, click]);
    await store.addEvents([click, event({ key: "k2", productId: "p_2", search: { hour, query: "boots" } })]);
    await store.addEvents([event({ type: "cart", key: "k3", search: { hour, query: "boots" } })]);
    expect(await rank("top")).toMatchObject([
      { query: "boots", searches: 1, results: 9, clicks: 2, positioned: 1, positions: 4 },
    ]);
    expect(await store.totals(always)).toEqual([{ day, searches: 1, noResults: 0, clicks: 2 }]);
  });

  test("names the products that were clicked after a text in the period, most clicks first", async () => {
    await store.addSearches([search("boots", 9), search("boots", 9, { hour: hour + 24 })]);
    const click = (productId: string, atHour: number, query = "boots") =>
      event({ productId, search: { hour: atHour, query } });
    await store.addEvents([click("p_1", hour), click("p_2", hour), click("p_2", hour + 1)]);
    await store.addEvents([click("p_1", hour + 24), click("p_0", hour), click("p_2", hour, "lamp")]);
    const named = (id: string, clicks: number) => ({ id, name: id, slug: id, clicks });
    const clickedAfter = async (fromHour: number, toHour: number) =>
      (await store.clickedProducts(["boots", "mug"], { fromHour, toHour })).get("boots");
    expect(await clickedAfter(hour, hour + 24)).toEqual([named("p_1", 2), named("p_2", 2)]);
    expect(await clickedAfter(hour, hour + 2)).toEqual([named("p_2", 2), named("p_1", 1)]);
    expect(await clickedAfter(hour + 24, hour + 24)).toEqual([named("p_1", 1)]);
    while (await store.removeBefore(startMs + 24 * 3_600_000, 2));
    expect(await clickedAfter(hour, hour + 24)).toEqual([named("p_1", 1)]);
  });

  test("leaves out events of unknown products, and those above the limit of a day", async () => {
    await store.addEvents([event({ key: "a", productId: "p_0", search: { hour, query: "boots" } })]);
    const keys = ["1", "2", "3", "4", "5", "6", "7", "8"];
    await store.addEvents(keys.map((key) => event({ key, search: { hour } })));
    await store.addEvents([event({})]);
    expect(await store.totals(always)).toEqual([{ day, searches: 0, noResults: 0, clicks: 6 }]);
    expect(await rank("top")).toEqual([]);
  });

  test("says what became of each event, and counts one only if all its keys are new", async () => {
    const send = (...events: CountedEvent[]) => store.addEvents(events);
    expect(await send(event({ key: "a" }), event({ key: "a" }), event({ productId: "p_0" }))).toEqual([
      "counted",
      "repeated",
      "unknown_product",
    ]);
    expect(await send(event(keyed("b", "a")), event(keyed("b", "c")), event({ key: "c" }))).toEqual([
      "repeated",
      "counted",
      "repeated",
    ]);
    expect(await send(event({ key: "a", atMs: startMs + 3_600_001 }))).toEqual(["counted"]);
  });

  test("public and private events have budgets of their own", async () => {
    const events = (isPublic: boolean, count: number) =>
      Array.from({ length: count }, (_, i) => event({ key: `${isPublic} ${i}`, isPublic }));
    const counted = async (...given: CountedEvent[]) =>
      (await store.addEvents(given)).filter((outcome) => outcome === "counted").length;
    expect(await counted(...events(true, 4))).toBe(2);
    expect((await store.addEvents([event({ key: "more", isPublic: true })]))[0]).toBe("daily_limit");
    expect(await counted(...events(false, 8))).toBe(6);
    expect(await counted(event({ key: "next day", isPublic: true, atMs: startMs + 24 * 3_600_000 }))).toBe(1);
  });

  test("counts the products of an order as pairs, once each", async () => {
    const bought = (productId: string, order: string) =>
      event({ type: "purchase", productId, order: { key: order, untilMs: startMs + 3_600_000 } });
    expect(await store.boughtTogether("p_1", 10)).toEqual([]);
    await store.addEvents([bought("p_1", "o1"), bought("p_2", "o1"), bought("p_0", "o1")]);
    await store.addEvents([bought("p_1", "o2")]);
    await store.addEvents([bought("p_2", "o1"), bought("p_1", "o1")]);
    expect(await store.boughtTogether("p_1", 10)).toEqual(["p_2"]);
    expect(await store.boughtTogether("p_2", 10)).toEqual(["p_1"]);
    expect(await store.boughtTogether("p_1", 0)).toEqual([]);
  });

  test("removes what is older, in steps", async () => {
    await store.addSearches(["a", "b", "c"].map((query) => search(query, 1)));
    await store.addSearches([search("d", 1, { hour: hour + 24 })]);
    expect(await store.removeBefore(startMs + 24 * 3_600_000, 2)).toBe(true);
    while (await store.removeBefore(startMs + 24 * 3_600_000, 2));
    expect(await queries("top")).toEqual(["d"]);
    expect(await store.totals(always)).toMatchObject([{ day: day + 1 }]);
  });

  test("stops when its caller has left", async () => {
    await expect(store.rank("top", always, 10, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });
}
