import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
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
  keptPairs,
  maxOrderProducts,
  type QueryCount,
  type QueryInsight,
  shownClicked,
} from "@product-search/core/ports/insights.ts";
import { type Kysely, sql } from "kysely";
import type { Database, QueryHoursTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

const hourMs = 3600 * 1000;
const hoursADay = 24;
/** Read in one step: some milliseconds in SQLite, which blocks its thread meanwhile. */
const rowsAStep = 3000;
/** Above every number of results: `hour * newestUnit + results` is greatest for the newest hour. */
const newestUnit = 16_777_216;

export interface SqlInsightStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
  limits?: InsightLimits;
}

type QueryHour = Omit<QueryHoursTable, "query"> & { query?: string };

/** For SQLite and PostgreSQL. Rows are written in one order, first those of the hours: nodes wait for each other there. */
export function createSqlInsightStore({
  db,
  clock,
  limits = insightLimits,
}: SqlInsightStoreSettings): InsightStore {
  return {
    addSearches: (counts) =>
      transact(db, async (transaction) => {
        await addHours(transaction, counts.map(toSearches), limits);
      }),

    addEvents: (events) =>
      transact(db, async (transaction) => {
        const known = await ofKnownProducts(transaction, events);
        const outcomes = await keepNew(transaction, known, limits);
        const counted = known.filter((_, i) => outcomes[i] === "counted");
        const kept = await addHours(transaction, counted.flatMap(toClicks), limits);
        await addQueryClicks(transaction, counted, kept);
        await addProductEvents(transaction, counted);
        await addPairs(transaction, await addToOrders(transaction, counted));
        const outcomeOf = new Map(known.map((event, i) => [event, outcomes[i] ?? "unknown_product"]));
        return events.map((event) => outcomeOf.get(event) ?? "unknown_product");
      }),

    async totals({ fromHour, toHour }) {
      const rows = await db
        .selectFrom("search_hours")
        .select(({ fn }) => [
          sql<number>`hour / ${sql.lit(hoursADay)}`.as("day"),
          fn.sum("searches").as("searches"),
          fn.sum("no_results").as("no_results"),
          fn.sum("clicks").as("clicks"),
        ])
        .where("hour", ">=", fromHour)
        .where("hour", "<=", toHour)
        .groupBy("day")
        .orderBy("day")
        .execute();
      return rows
        .map(({ day, searches, no_results, clicks }) => ({
          day: Number(day),
          searches: Number(searches),
          noResults: Number(no_results),
          clicks: Number(clicks),
        }))
        .filter(({ searches, clicks }) => searches + clicks > 0);
    },

    async rank(kind, range, limit, signal) {
      let best: QueryInsight[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        signal.throwIfAborted();
        const bound: string | undefined = await lastOfStep(db, after);
        const threshold = best.length < limit ? 0 : rankOf(kind, best.at(-1));
        const step = await readStep(db, kind, range, { after, bound, threshold });
        // The order is stable: texts come in alphabetical order.
        best = [...best, ...step]
          .toSorted((one, other) => rankOf(kind, other) - rankOf(kind, one))
          .slice(0, limit);
        after = bound;
        await letOthersCome();
      }
      return best;
    },

    clickedProducts: (queries, range) => readClicked(db, queries, range),

    async productEvents(after, sinceDay, limit) {
      const withEvents = await db
        .selectFrom("product_events")
        .select("product_id as id")
        .distinct()
        .where("product_id", ">", after)
        .orderBy("product_id")
        .limit(limit)
        .execute();
      const popular = await db
        .selectFrom("products")
        .select("id")
        .where("popularity", ">", 0)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      const ids = [...new Set([...withEvents, ...popular].map(({ id }) => id))].toSorted().slice(0, limit);
      if (ids.length === 0) return { products: [], next: undefined };
      const products = await db
        .selectFrom("products")
        .select(["row_id", "id", "popularity"])
        .where("id", "in", ids)
        .orderBy("id")
        .execute();
      const counts = await db
        .selectFrom("product_events")
        .select(({ fn }) => [
          "product_id",
          fn.sum("clicks").as("clicks"),
          fn.sum("carts").as("carts"),
          fn.sum("purchases").as("purchases"),
        ])
        .where("product_id", "in", ids)
        .where("day", ">=", sinceDay)
        .groupBy("product_id")
        .execute();
      const countsOf = new Map(counts.map((count) => [count.product_id, count]));
      return {
        products: products.map(({ row_id, id, popularity }) => ({
          rowId: row_id,
          popularity,
          clicks: Number(countsOf.get(id)?.clicks ?? 0),
          carts: Number(countsOf.get(id)?.carts ?? 0),
          purchases: Number(countsOf.get(id)?.purchases ?? 0),
        })),
        next: ids.length < limit ? undefined : ids.at(-1),
      };
    },

    async boughtTogether(productId, limit) {
      const pairs = await db
        .selectFrom("product_pairs")
        .select(["other_id", "orders"])
        .where("product_id", "=", productId)
        .orderBy("orders", "desc")
        .orderBy("other_id")
        .limit(keptPairs)
        .execute();
      if (pairs.length === 0) return [];
      const sums = await db
        .selectFrom("product_pairs")
        .select(({ fn }) => ["product_id", fn.sum("orders").as("orders")])
        .where(
          "product_id",
          "in",
          pairs.map(({ other_id }) => other_id),
        )
        .groupBy("product_id")
        .execute();
      const sumOf = new Map(sums.map(({ product_id, orders }) => [product_id, Number(orders)]));
      return rankPairs(
        pairs.map(({ other_id, orders }) => ({ id: other_id, orders, all: sumOf.get(other_id) ?? orders })),
        limit,
      );
    },

    async removeBefore(atMs, limit) {
      const hour = Math.floor(atMs / hourMs);
      const removed = await Promise.all([
        sql`delete from query_hours where (query, hour) in (
          select query, hour from query_hours where hour < ${hour} limit ${sql.lit(limit)})`.execute(db),
        sql`delete from product_events where (day, product_id) in (
          select day, product_id from product_events where day < ${Math.floor(hour / hoursADay)}
          limit ${sql.lit(limit)})`.execute(db),
        sql`delete from query_clicks where (query, day, product_id) in (
          select query, day, product_id from query_clicks where day < ${Math.floor(hour / hoursADay)}
          limit ${sql.lit(limit)})`.execute(db),
        sql`delete from search_hours where hour < ${hour}`.execute(db),
        sql`delete from order_products where (order_key, product_id) in (
          select order_key, product_id from order_products where until < ${clock.now()} limit ${sql.lit(limit)})`.execute(
          db,
        ),
        sql`delete from product_pairs where (product_id, other_id) in (
          select product_id, other_id from product_pairs where day < ${Math.floor(hour / hoursADay)}
          limit ${sql.lit(limit)})`.execute(db),
        sql`delete from event_keys where key in (
          select key from event_keys where until < ${clock.now()} limit ${sql.lit(limit)})`.execute(db),
      ]);
      return removed.some(({ numAffectedRows = 0n }) => numAffectedRows >= BigInt(limit));
    },
  };
}

function toSearches({ hour, query, searches, noResults, relaxed, results }: QueryCount): QueryHour {
  return {
    hour,
    ...(query !== undefined && { query }),
    searches,
    no_results: noResults,
    relaxed,
    results: Math.min(results, newestUnit - 1),
    clicks: 0,
    positioned: 0,
    positions: 0,
  };
}

function toClicks({ type, search, position }: CountedEvent): QueryHour[] {
  if (type !== "click" || search === undefined) return [];
  return [
    {
      ...search,
      searches: 0,
      no_results: 0,
      relaxed: 0,
      results: 0,
      clicks: 1,
      positioned: position === undefined ? 0 : 1,
      positions: position ?? 0,
    },
  ];
}

/** Adds to the totals of the hours, and to the rows of the texts that are kept, which it returns by hour and text. */
async function addHours(
  db: Kysely<Database>,
  rows: readonly QueryHour[],
  { queriesADay }: InsightLimits,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const hours = [...Map.groupBy(rows, ({ hour }) => hour)].toSorted(([one], [other]) => one - other);
  for (const [hour, ofHour] of hours) {
    const sums = {
      searches: sumOf(ofHour, "searches"),
      no_results: sumOf(ofHour, "no_results"),
      clicks: sumOf(ofHour, "clicks"),
    };
    await addToHours(db, [{ ...emptyHour, ...sums, hour }]);
    const kept = await admit(db, hour, joinQueries(ofHour), queriesADay);
    for (const { query } of kept) keys.add(`${hour} ${query}`);
    if (kept.length > 0)
      await db
        .insertInto("query_hours")
        .values(kept)
        .onConflict((conflict) =>
          conflict.columns(["query", "hour"]).doUpdateSet({
            searches: sql`query_hours.searches + excluded.searches`,
            no_results: sql`query_hours.no_results + excluded.no_results`,
            relaxed: sql`query_hours.relaxed + excluded.relaxed`,
            results: sql`case when excluded.searches > 0 then excluded.results else query_hours.results end`,
            clicks: sql`query_hours.clicks + excluded.clicks`,
            positioned: sql`query_hours.positioned + excluded.positioned`,
            positions: sql`query_hours.positions + excluded.positions`,
          }),
        )
        .execute();
  }
  return keys;
}

/** The products that were clicked in the results of the kept texts, as many of a text and day as are kept. */
async function addQueryClicks(
  db: Kysely<Database>,
  events: readonly CountedEvent[],
  kept: ReadonlySet<string>,
): Promise<void> {
  const clicks = new Map<string, Database["query_clicks"]>();
  for (const { type, search, productId } of events) {
    if (type !== "click" || search?.query === undefined || !kept.has(`${search.hour} ${search.query}`))
      continue;
    const row = { query: search.query, day: Math.floor(search.hour / hoursADay), product_id: productId };
    const key = JSON.stringify(row);
    clicks.set(key, { ...row, clicks: (clicks.get(key)?.clicks ?? 0) + 1 });
  }
  const texts = [...Map.groupBy(clicks.values(), ({ query, day }) => JSON.stringify([query, day]))];
  // In one order: nodes wait for each other.
  for (const [, rows] of texts.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [first] = rows;
    if (first === undefined) continue;
    const stored = await db
      .selectFrom("query_clicks")
      .select("product_id")
      .where("query", "=", first.query)
      .where("day", "=", first.day)
      .execute();
    const ids = new Set(stored.map(({ product_id }) => product_id));
    const fresh = rows.filter(({ product_id }) => !ids.has(product_id));
    const room = new Set(fresh.slice(0, Math.max(0, keptClicked - ids.size)));
    const added = rows
      .filter((row) => ids.has(row.product_id) || room.has(row))
      .toSorted((one, other) => (one.product_id < other.product_id ? -1 : 1));
    if (added.length > 0)
      await db
        .insertInto("query_clicks")
        .values(added)
        .onConflict((conflict) =>
          conflict
            .columns(["query", "day", "product_id"])
            .doUpdateSet({ clicks: sql`query_clicks.clicks + excluded.clicks` }),
        )
        .execute();
  }
}

/** The most clicked products of each text, those alone that the catalog still has. */
async function readClicked(
  db: Kysely<Database>,
  queries: readonly string[],
  { fromHour, toHour }: HourRange,
): Promise<Map<string, ClickedProduct[]>> {
  if (queries.length === 0) return new Map();
  const clicks = sql<number>`sum(query_clicks.clicks)`;
  const rows = await db
    .selectFrom("query_clicks")
    .innerJoin("products", "products.id", "query_clicks.product_id")
    .select(["query", "products.id", "products.name", "products.slug", clicks.as("clicks")])
    .where("query", "in", queries)
    .where("query_clicks.day", ">=", Math.floor(fromHour / hoursADay))
    .where("query_clicks.day", "<=", Math.floor(toHour / hoursADay))
    .groupBy(["query", "products.id", "products.name", "products.slug"])
    .orderBy(clicks, "desc")
    .orderBy("products.id")
    .execute();
  const clicked = Map.groupBy(rows, ({ query }) => query);
  return new Map(
    Array.from(clicked, ([query, products]) => [
      query,
      products
        .slice(0, shownClicked)
        .map(({ id, name, slug, clicks: count }) => ({ id, name, slug, clicks: Number(count) })),
    ]),
  );
}

const emptyHour = {
  searches: 0,
  no_results: 0,
  clicks: 0,
  new_queries: 0,
  new_events: 0,
  new_public_events: 0,
};

/** Locks the rows in the order in which they are passed. */
async function addToHours(db: Kysely<Database>, rows: readonly Database["search_hours"][]): Promise<void> {
  await db
    .insertInto("search_hours")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("hour").doUpdateSet({
        searches: sql`search_hours.searches + excluded.searches`,
        no_results: sql`search_hours.no_results + excluded.no_results`,
        clicks: sql`search_hours.clicks + excluded.clicks`,
        new_queries: sql`search_hours.new_queries + excluded.new_queries`,
        new_events: sql`search_hours.new_events + excluded.new_events`,
        new_public_events: sql`search_hours.new_public_events + excluded.new_public_events`,
      }),
    )
    .execute();
}

/** One row for each text, in alphabetical order. */
function joinQueries(rows: readonly QueryHour[]): QueryHoursTable[] {
  const joined = new Map<string, QueryHoursTable>();
  for (const { query, ...row } of rows) {
    if (query === undefined) continue;
    const former = joined.get(query);
    joined.set(query, {
      query,
      hour: row.hour,
      searches: row.searches + (former?.searches ?? 0),
      no_results: row.no_results + (former?.no_results ?? 0),
      relaxed: row.relaxed + (former?.relaxed ?? 0),
      results: row.searches > 0 ? row.results : (former?.results ?? 0),
      clicks: row.clicks + (former?.clicks ?? 0),
      positioned: row.positioned + (former?.positioned ?? 0),
      positions: row.positions + (former?.positions ?? 0),
    });
  }
  return [...joined.values()].toSorted((one, other) => (one.query < other.query ? -1 : 1));
}

/** Those whose text has a row on that day already, and as many new ones as the day may have. */
async function admit(
  db: Kysely<Database>,
  hour: number,
  rows: readonly QueryHoursTable[],
  queriesADay: number,
): Promise<QueryHoursTable[]> {
  if (rows.length === 0) return [];
  const firstHour = hour - (hour % hoursADay);
  const lastHour = firstHour + hoursADay - 1;
  const sameDay = await db
    .selectFrom("query_hours")
    .select("query")
    .distinct()
    .where(
      "query",
      "in",
      rows.map(({ query }) => query),
    )
    .where("hour", ">=", firstHour)
    .where("hour", "<=", lastHour)
    .execute();
  const present = new Set(sameDay.map(({ query }) => query));
  const free = queriesADay - (await sumOfDay(db, "new_queries", hour));
  const admitted = rows.filter(({ query }) => !present.has(query)).slice(0, Math.max(0, free));
  if (admitted.length > 0)
    await db
      .updateTable("search_hours")
      .set({ new_queries: sql`new_queries + ${admitted.length}` })
      .where("hour", "=", hour)
      .execute();
  const added = new Set(admitted.map(({ query }) => query));
  return rows.filter(({ query }) => present.has(query) || added.has(query));
}

async function sumOfDay(
  db: Kysely<Database>,
  column: "new_queries" | "new_events" | "new_public_events",
  hour: number,
): Promise<number> {
  const firstHour = hour - (hour % hoursADay);
  const { sum } = await db
    .selectFrom("search_hours")
    .select(({ fn }) => fn.sum(column).as("sum"))
    .where("hour", ">=", firstHour)
    .where("hour", "<", firstHour + hoursADay)
    .executeTakeFirstOrThrow();
  return Number(sum ?? 0);
}

async function ofKnownProducts(
  db: Kysely<Database>,
  events: readonly CountedEvent[],
): Promise<CountedEvent[]> {
  if (events.length === 0) return [];
  const rows = await db
    .selectFrom("products")
    .select("id")
    .where("id", "in", [...new Set(events.map(({ productId }) => productId))])
    .execute();
  const ids = new Set(rows.map(({ id }) => id));
  return events.filter(({ productId }) => ids.has(productId));
}

/** What becomes of each event. Keys are removed by `removeBefore` alone: two removals could lock each other out. */
async function keepNew(
  db: Kysely<Database>,
  events: readonly CountedEvent[],
  { eventsADay, publicEventsADay }: InsightLimits,
): Promise<EventOutcome[]> {
  const [first] = events;
  if (first === undefined) return [];
  const hour = Math.floor(first.atMs / hourMs);
  // Also the hours of the searches, which may be earlier ones: all are locked in ascending order, as when searches are added.
  const hours = new Set([hour, ...events.flatMap(toClicks).map((click) => click.hour)]);
  const ascending = [...hours].toSorted((one, other) => one - other);
  await addToHours(
    db,
    ascending.map((one) => ({ ...emptyHour, hour: one })),
  );
  const free = {
    new_events: eventsADay - (await sumOfDay(db, "new_events", hour)),
    new_public_events: publicEventsADay - (await sumOfDay(db, "new_public_events", hour)),
  };
  const sent = events.flatMap(({ keys = [] }) => keys.map(({ key }) => key));
  const knownKeys = new Set(sent.length === 0 ? [] : await findKeys(db, sent, first.atMs));
  const added = new Map<string, number>();
  const before = { ...free };
  const outcomes = events.map(({ keys = [], isPublic = false }): EventOutcome => {
    if (keys.some(({ key }) => knownKeys.has(key))) return "repeated";
    const budget = isPublic ? "new_public_events" : "new_events";
    if (free[budget] <= 0) return "daily_limit";
    free[budget] -= 1;
    for (const { key, untilMs } of keys) {
      knownKeys.add(key);
      added.set(key, untilMs);
    }
    return "counted";
  });
  if (added.size > 0)
    await db
      .insertInto("event_keys")
      .values([...added].toSorted().map(([key, until]) => ({ key, until })))
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ until: sql`excluded.until` }))
      .execute();
  await db
    .updateTable("search_hours")
    .set({
      new_events: sql`new_events + ${before.new_events - free.new_events}`,
      new_public_events: sql`new_public_events + ${before.new_public_events - free.new_public_events}`,
    })
    .where("hour", "=", hour)
    .execute();
  return outcomes;
}

async function findKeys(db: Kysely<Database>, keys: readonly string[], nowMs: number): Promise<string[]> {
  const rows = await db
    .selectFrom("event_keys")
    .select("key")
    .where("key", "in", [...new Set(keys)])
    .where("until", ">=", nowMs)
    .execute();
  return rows.map(({ key }) => key);
}

async function addProductEvents(db: Kysely<Database>, events: readonly CountedEvent[]): Promise<void> {
  const rows = [...Map.groupBy(events, ({ productId, atMs }) => `${dayOf(atMs)} ${productId}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same;
      if (first === undefined) return [];
      const count = (type: CountedEvent["type"]) => same.filter((event) => event.type === type).length;
      return [
        {
          day: dayOf(first.atMs),
          product_id: first.productId,
          clicks: count("click"),
          carts: count("cart"),
          purchases: count("purchase"),
        },
      ];
    });
  if (rows.length === 0) return;
  await db
    .insertInto("product_events")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["day", "product_id"]).doUpdateSet({
        clicks: sql`product_events.clicks + excluded.clicks`,
        carts: sql`product_events.carts + excluded.carts`,
        purchases: sql`product_events.purchases + excluded.purchases`,
      }),
    )
    .execute();
}

interface ProductPair {
  product_id: string;
  other_id: string;
  day: number;
}

/** Notes the products of the orders. Returns the pairs that are new, each in both directions. */
async function addToOrders(db: Kysely<Database>, events: readonly CountedEvent[]): Promise<ProductPair[]> {
  const orders = new Map<string, { untilMs: number; day: number; ids: Set<string> }>();
  for (const { order, productId, atMs } of events) {
    if (order === undefined) continue;
    const { ids } = orders.get(order.key) ?? { ids: new Set<string>() };
    orders.set(order.key, { untilMs: order.untilMs, day: dayOf(atMs), ids: ids.add(productId) });
  }
  if (orders.size === 0) return [];
  const rows = await db
    .selectFrom("order_products")
    .select(["order_key", "product_id"])
    .where("order_key", "in", [...orders.keys()])
    .execute();
  const former = Map.groupBy(rows, ({ order_key }) => order_key);
  const pairs: ProductPair[] = [];
  const added: Database["order_products"][] = [];
  for (const [key, { untilMs, day, ids }] of [...orders].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const known = (former.get(key) ?? []).map(({ product_id }) => product_id);
    const fresh = [...ids]
      .filter((id) => !known.includes(id))
      .slice(0, Math.max(0, maxOrderProducts - known.length));
    for (const id of fresh) {
      for (const other of known)
        pairs.push({ product_id: id, other_id: other, day }, { product_id: other, other_id: id, day });
      known.push(id);
      added.push({ order_key: key, product_id: id, until: untilMs });
    }
  }
  if (added.length > 0)
    await db
      .insertInto("order_products")
      .values(added)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return pairs;
}

/** So many rows in a statement: SQLite has a limit of parameters. */
const pairsAtOnce = 500;

async function addPairs(db: Kysely<Database>, pairs: readonly ProductPair[]): Promise<void> {
  const rows = [...Map.groupBy(pairs, ({ product_id, other_id }) => `${product_id} ${other_id}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, same]) => (same[0] === undefined ? [] : [{ ...same[0], orders: same.length }]));
  for (let at = 0; at < rows.length; at += pairsAtOnce)
    await db
      .insertInto("product_pairs")
      .values(rows.slice(at, at + pairsAtOnce))
      .onConflict((conflict) =>
        conflict.columns(["product_id", "other_id"]).doUpdateSet({
          orders: sql`product_pairs.orders + excluded.orders`,
          day: sql`excluded.day`,
        }),
      )
      .execute();
  const ids = [...new Set(rows.map(({ product_id }) => product_id))].toSorted();
  if (ids.length === 0) return;
  const full = await db
    .selectFrom("product_pairs")
    .select("product_id")
    .where("product_id", "in", ids)
    .groupBy("product_id")
    .having(({ fn }) => fn.countAll(), ">", 2 * keptPairs)
    .execute();
  for (const { product_id } of full)
    await sql`delete from product_pairs where product_id = ${product_id} and other_id not in (
      select other_id from product_pairs where product_id = ${product_id}
      order by orders desc, day desc, other_id limit ${sql.lit(keptPairs)})`.execute(db);
}

/** What is bought with everything says less: the orders of a pair against those of the other product. */
function rankPairs(
  pairs: ReadonlyArray<{ id: string; orders: number; all: number }>,
  limit: number,
): string[] {
  return pairs
    .map(({ id, orders, all }) => ({ id, score: orders / Math.sqrt(all) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);
}

/** The text with which a step ends; undefined for the last step. */
async function lastOfStep(db: Kysely<Database>, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("query_hours")
    .select("query")
    .where("query", ">", after)
    .orderBy("query")
    .orderBy("hour")
    .limit(1)
    .offset(rowsAStep)
    .executeTakeFirst();
  return row?.query;
}

interface Step {
  after: string;
  bound: string | undefined;
  /** Texts that are not above it cannot be among the best any more. */
  threshold: number;
}

/** The texts of a step that are of this kind, in alphabetical order. */
async function readStep(
  db: Kysely<Database>,
  kind: InsightKind,
  { fromHour, toHour }: HourRange,
  { after, bound, threshold }: Step,
): Promise<QueryInsight[]> {
  const newest = sql<number>`max(case when searches > 0 then hour * ${sql.lit(newestUnit)} + results end)`;
  const results = sql<number>`${newest} % ${sql.lit(newestUnit)}`;
  const isOfKind = {
    top: sql<boolean>`sum(searches) > ${threshold}`,
    noResults: sql<boolean>`sum(no_results) > ${threshold} and ${results} = 0`,
    relaxed: sql<boolean>`sum(relaxed) > ${threshold}`,
    noClicks: sql<boolean>`sum(searches) > ${threshold} and sum(clicks) = 0 and ${results} > 0`,
  }[kind];
  const rows = await db
    .selectFrom("query_hours")
    .select(({ fn }) => [
      "query",
      fn.sum("searches").as("searches"),
      fn.sum("no_results").as("noResults"),
      fn.sum("relaxed").as("relaxed"),
      results.as("results"),
      fn.sum("clicks").as("clicks"),
      fn.sum("positioned").as("positioned"),
      fn.sum("positions").as("positions"),
    ])
    .where("query", ">", after)
    .$if(bound !== undefined, (query) => query.where("query", "<=", bound ?? ""))
    .where("hour", ">=", fromHour)
    .where("hour", "<=", toHour)
    .groupBy("query")
    .having(isOfKind)
    .orderBy("query")
    .execute();
  return rows.map(({ query, ...counts }) => ({
    query,
    searches: Number(counts.searches),
    noResults: Number(counts.noResults),
    relaxed: Number(counts.relaxed),
    results: Number(counts.results),
    clicks: Number(counts.clicks),
    positioned: Number(counts.positioned),
    positions: Number(counts.positions),
  }));
}

function rankOf(kind: InsightKind, insight: QueryInsight | undefined): number {
  return insight?.[kind === "noResults" || kind === "relaxed" ? kind : "searches"] ?? 0;
}

function sumOf(rows: readonly QueryHour[], column: "searches" | "no_results" | "clicks"): number {
  return rows.reduce((sum, row) => sum + row[column], 0);
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / hourMs / hoursADay);
}
