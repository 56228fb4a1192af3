import {
  type ClickedProduct,
  type CountedEvent,
  type EventOutcome,
  type HourRange,
  type InsightKind,
  type InsightLimits,
  type InsightStore,
  insightLimits,
  keptClicked,
  maxOrderProducts,
  type QueryInsight,
  shownClicked,
} from "@product-search/core/ports/insights.ts";
import type { MemoryDatabase, MemoryQueryHour } from "../database/memory/memory.ts";
import { rankPairs } from "./sql.ts";

const hourMs = 3600 * 1000;
const hoursADay = 24;

export interface MemoryInsightStoreSettings {
  database: MemoryDatabase;
  limits?: InsightLimits;
}

/** The key of the row with the totals of an hour; no text is empty. */
const totalsOf = "";

const noCounts = {
  searches: 0,
  noResults: 0,
  relaxed: 0,
  results: 0,
  clicks: 0,
  positioned: 0,
  positions: 0,
};

type Counts = Partial<typeof noCounts>;

export function createMemoryInsightStore({
  database,
  limits = insightLimits,
}: MemoryInsightStoreSettings): InsightStore {
  const { queryHours, queryClicks, eventKeys, orders, pairs, productRows, products } = database.tables;
  const rowsOf = ({ fromHour, toHour }: HourRange, isTotal: boolean) =>
    queryHours
      .values()
      .filter(({ hour, query }) => hour >= fromHour && hour <= toHour && (query === totalsOf) === isTotal);
  const addTo = (hour: number, query: string, counts: Counts) => {
    const key = `${hour} ${query}`;
    const row = queryHours.get(key) ?? { hour, query, ...noCounts };
    const { searches = 0, noResults = 0, relaxed = 0, results = 0 } = counts;
    const { clicks = 0, positioned = 0, positions = 0 } = counts;
    queryHours.set(key, {
      hour,
      query,
      searches: row.searches + searches,
      noResults: row.noResults + noResults,
      relaxed: row.relaxed + relaxed,
      results: searches > 0 ? results : row.results,
      clicks: row.clicks + clicks,
      positioned: row.positioned + positioned,
      positions: row.positions + positions,
    });
  };
  const isKept = (hour: number, query: string) => {
    const fromHour = hour - (hour % hoursADay);
    const ofDay = rowsOf({ fromHour, toHour: fromHour + hoursADay - 1 }, false);
    const queries = new Set(ofDay.map((row) => row.query));
    return queries.has(query) || queries.size < limits.queriesADay;
  };
  const add = (hour: number, query: string | undefined, counts: Counts) => {
    addTo(hour, totalsOf, counts);
    const isOfKept = query !== undefined && isKept(hour, query);
    if (isOfKept) addTo(hour, query, counts);
    return isOfKept;
  };
  const addClick = (day: number, query: string, productId: string) => {
    const key = JSON.stringify([day, query]);
    const clicks = queryClicks.get(key) ?? {};
    if (!(productId in clicks) && Object.keys(clicks).length >= keptClicked) return;
    queryClicks.set(key, { ...clicks, [productId]: (clicks[productId] ?? 0) + 1 });
  };
  const clickedIn = (query: string, { fromHour, toHour }: HourRange): ClickedProduct[] => {
    const clicks: Record<string, number> = {};
    for (let day = Math.floor(fromHour / hoursADay); day <= Math.floor(toHour / hoursADay); day++)
      for (const [id, count] of Object.entries(queryClicks.get(JSON.stringify([day, query])) ?? {}))
        clicks[id] = (clicks[id] ?? 0) + count;
    return Object.entries(clicks)
      .toSorted(([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1))
      .slice(0, shownClicked)
      .flatMap(([id, count]) => {
        const product = products.get(productRows.get(id) ?? 0);
        return product === undefined ? [] : [{ id, name: product.name, slug: product.slug, clicks: count }];
      });
  };
  const addToOrder = ({ order, productId, atMs }: CountedEvent) => {
    if (order === undefined) return;
    const stored = orders.get(order.key);
    const ids = stored !== undefined && stored.untilMs >= atMs ? stored.ids : [];
    if (ids.includes(productId) || ids.length >= maxOrderProducts) return;
    for (const other of ids) {
      addPair(productId, other);
      addPair(other, productId);
    }
    orders.set(order.key, { untilMs: order.untilMs, ids: [...ids, productId] });
  };
  const addPair = (id: string, other: string) => {
    const former = pairs.get(id) ?? {};
    pairs.set(id, { ...former, [other]: (former[other] ?? 0) + 1 });
  };
  const addEvent = (event: CountedEvent): EventOutcome => {
    const { type, productId, keys = [], isPublic = false, search, position, atMs } = event;
    if (productRows.get(productId) === undefined) return "unknown_product";
    if (keys.some(({ key }) => (eventKeys.get(key) ?? 0) >= atMs)) return "repeated";
    const budget = `${isPublic ? "public events" : "events"} ${Math.floor(atMs / hourMs / hoursADay)}`;
    const used = database.tables.counters.get(budget) ?? 0;
    if (used >= (isPublic ? limits.publicEventsADay : limits.eventsADay)) return "daily_limit";
    database.next(budget);
    for (const { key, untilMs } of keys) eventKeys.set(key, untilMs);
    addToOrder(event);
    if (type !== "click" || search === undefined) return "counted";
    const placed = position === undefined ? {} : { positioned: 1, positions: position };
    const isKeptText = add(search.hour, search.query, { clicks: 1, ...placed });
    if (isKeptText && search.query !== undefined)
      addClick(Math.floor(search.hour / hoursADay), search.query, productId);
    return "counted";
  };
  return {
    async addSearches(counts) {
      for (const { hour, query, ...count } of counts) add(hour, query, count);
    },
    async addEvents(events) {
      return events.map(addEvent);
    },
    async totals(range) {
      const days = Map.groupBy(rowsOf(range, true), ({ hour }) => Math.floor(hour / hoursADay));
      return [...days]
        .toSorted(([one], [other]) => one - other)
        .map(([day, rows]) => ({
          day,
          searches: sum(rows, "searches"),
          noResults: sum(rows, "noResults"),
          clicks: sum(rows, "clicks"),
        }));
    },
    async rank(kind, range, limit, signal) {
      signal.throwIfAborted();
      return [...Map.groupBy(rowsOf(range, false), ({ query }) => query)]
        .map(([query, rows]) => toInsight(query, rows))
        .filter((insight) => isOfKind(kind, insight))
        .toSorted((one, other) => (one.query < other.query ? -1 : 1))
        .toSorted((one, other) => rankOf(kind, other) - rankOf(kind, one))
        .slice(0, limit);
    },
    clickedProducts: async (queries, range) =>
      new Map(queries.map((query) => [query, clickedIn(query, range)])),
    // The mock ranks nothing by events: they are not kept by product.
    productEvents: async () => ({ products: [], next: undefined }),
    async boughtTogether(productId, limit) {
      const sumOf = (id: string) => Object.values(pairs.get(id) ?? {}).reduce((all, count) => all + count, 0);
      const counted = Object.entries(pairs.get(productId) ?? {});
      return rankPairs(
        counted.map(([id, count]) => ({ id, orders: count, all: sumOf(id) })),
        limit,
      );
    },
    async removeBefore(atMs, limit) {
      const old = queryHours.entries().filter(([, { hour }]) => hour < Math.floor(atMs / hourMs));
      for (const [key] of old.slice(0, limit)) queryHours.delete(key);
      const firstDay = Math.floor(atMs / hourMs / hoursADay);
      for (const [key] of queryClicks.entries()) if (JSON.parse(key)[0] < firstDay) queryClicks.delete(key);
      return old.length >= limit;
    },
  };
}

function toInsight(query: string, rows: readonly MemoryQueryHour[]): QueryInsight {
  const newest = rows.filter(({ searches }) => searches > 0).toSorted((one, other) => other.hour - one.hour);
  return {
    query,
    searches: sum(rows, "searches"),
    noResults: sum(rows, "noResults"),
    relaxed: sum(rows, "relaxed"),
    results: newest[0]?.results ?? 0,
    clicks: sum(rows, "clicks"),
    positioned: sum(rows, "positioned"),
    positions: sum(rows, "positions"),
  };
}

function isOfKind(kind: InsightKind, insight: QueryInsight): boolean {
  if (rankOf(kind, insight) === 0) return false;
  if (kind === "noResults") return insight.results === 0;
  return kind === "top" || kind === "relaxed" || (insight.clicks === 0 && insight.results > 0);
}

function rankOf(kind: InsightKind, insight: QueryInsight): number {
  return kind === "noResults" || kind === "relaxed" ? insight[kind] : insight.searches;
}

function sum(rows: readonly MemoryQueryHour[], column: keyof typeof noCounts): number {
  return rows.reduce((total, row) => total + row[column], 0);
}
