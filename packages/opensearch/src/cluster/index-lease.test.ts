import { LeaseLostError } from "@product-search/core/ports/leases.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Keeper, keepRows, Rows, valuesBehind } from "../../testing/kept-index.ts";
import { describeOnOpenSearch, openTestIndex, type TestIndex } from "../../testing/opensearch.ts";
import type { Cluster, ClusterRequest } from "./cluster.ts";
import { findBuiltIndex, type HeldLease } from "./index-names.ts";
import type { KeepIndexSettings } from "./keep-index.ts";

/** Leases of one job: only the newest is held. */
function createTestLeases() {
  let newest: object = {};
  return {
    next(number: number): HeldLease {
      const lease: HeldLease = { job: "text-index", number, isHeld: async () => newest === lease };
      newest = lease;
      return lease;
    },
  };
}

/** What a leader asks OpenSearch for, from its beginning until it follows changes. */
const points: Record<string, (request: ClusterRequest, alias: string) => boolean> = {
  "begins to lead": ({ path }) => path === "/_aliases",
  "finds out which leaders there were": ({ path }, alias) => path.startsWith(`/${alias}-*/_alias/`),
  "creates an index": ({ method, path }, alias) => method === "PUT" && path.startsWith(`/${alias}-v`),
  "opens the index for its entries": ({ body }, alias) => adds(body, new RegExp(`^${alias}-lease-.*-v`)),
  "writes entries": ({ path }) => path.includes("_bulk"),
  "records how far the index has come": ({ path }) => path.includes("/_doc/") && path.includes("version"),
  "sets the interval of refreshes": ({ path }) => path.endsWith("_settings"),
  "refreshes the index": ({ path }) => path.endsWith("_refresh"),
  "moves the alias": ({ body }, alias) => adds(body, new RegExp(`^${alias}$`)),
  "lists the indexes to delete": ({ path }, alias) => path === `/${alias}-v*/_alias`,
  "deletes other indexes": ({ body }) => JSON.stringify(body ?? "").includes("remove_index"),
  "deletes the records of other indexes": ({ method, path }) =>
    method === "DELETE" && path.includes("/_doc/"),
};

function adds(body: unknown, alias: RegExp): boolean {
  const { actions = [] } = (body ?? {}) as { actions?: Array<{ add?: { alias: string } }> };
  return actions.some(({ add }) => add !== undefined && alias.test(add.alias));
}

describeOnOpenSearch("the lease of an index", () => {
  let opened: TestIndex;
  let rows: Rows;
  let leases: ReturnType<typeof createTestLeases>;
  const keepers: Keeper[] = [];
  const clusters: PausedCluster[] = [];
  beforeEach(() => {
    opened = openTestIndex();
    rows = new Rows();
    leases = createTestLeases();
    for (const rowId of [1, 2, 3]) rows.put(rowId, rowId * 10);
  });
  afterEach(async () => {
    for (const { resume } of clusters.splice(0)) resume();
    for (const { stop } of keepers.splice(0)) await stop();
    await opened.close();
  });

  function keep(settings: Partial<KeepIndexSettings>): Keeper {
    const keeper = keepRows(opened, rows, settings);
    keepers.push(keeper);
    return keeper;
  }

  /** A leader that is paused at a point, and notices nothing of it. */
  function keepPaused(settings: Partial<KeepIndexSettings>, isPoint: (typeof points)[string]) {
    const cluster = pauseBefore(opened.cluster, (request) => isPoint(request, opened.alias));
    clusters.push(cluster);
    return { ...keep({ ...settings, cluster }), cluster };
  }

  const get = async (path: string) => (await opened.cluster.request({ method: "GET", path })) as object;

  /** All indexes with their aliases and settings, and the records. */
  async function everything() {
    const { alias, cluster } = opened;
    const state = `/${alias}-state`;
    const indexes = await get(`/${alias}*`);
    await cluster.request({ method: "POST", path: `${state}/_refresh` });
    const found = await get(`${state}/_search?size=100&version=true`);
    const { hits } = found as { hits: { hits: Array<{ _id: string }> } };
    return { indexes, records: Object.fromEntries(hits.hits.map((hit) => [hit._id, hit])) };
  }

  const until = (assert: () => Promise<void>) => vi.waitFor(assert, { timeout: 60_000, interval: 20 });
  const untilValues = (expected: Record<string, number>) =>
    until(async () => expect(await valuesBehind(opened)).toEqual(expected));

  const createStray = () => opened.cluster.request({ method: "PUT", path: `/${opened.alias}-v0-0a` });

  describe.each(Object.entries(points))("a leader that was paused when it %s", (name, isPoint) => {
    test("changes nothing of its successor's", async () => {
      await createStray();
      const paused = keepPaused({ lease: leases.next(1) }, isPoint);
      await paused.cluster.paused;
      const successor = keepPaused(
        { lease: leases.next(2), version: 2 },
        (request, alias) => points["moves the alias"]?.(request, alias) === true,
      );
      await successor.cluster.paused;
      const before = await everything();
      rows.put(4, 40);
      paused.cluster.resume();
      await paused.ended;
      expect(paused.errors.at(-1)).toBeInstanceOf(LeaseLostError);
      const after = await everything();
      expect(withoutTraces(after, name)).toEqual(withoutTraces(before, name));
      successor.cluster.resume();
      await untilValues({ 1: 10, 2: 20, 3: 30, 4: 40 });
      const built = await findBuiltIndex(opened.cluster, opened.alias);
      expect(built?.version).toBe(2);
      await until(async () => expect(Object.keys(await get(`/${opened.alias}-v*`))).toEqual([built?.name]));
      await successor.stop();
      keep({ lease: leases.next(3), version: 2 });
      rows.put(5, 50);
      await untilValues({ 1: 10, 2: 20, 3: 30, 4: 40, 5: 50 });
      expect((await findBuiltIndex(opened.cluster, opened.alias))?.name).toBe(built?.name);
    });
  });

  /** A former leader may leave an index that nobody uses, and a lease alias that it may not use. */
  function withoutTraces({ indexes, records }: Awaited<ReturnType<typeof everything>>, name: string) {
    if (name === "creates an index" || name === "deletes the records of other indexes")
      return { records, indexes: Object.entries(indexes).filter(([, { aliases }]) => isUsed(aliases)) };
    if (name !== "begins to lead") return { records, indexes };
    return { records, indexes: JSON.parse(JSON.stringify(indexes), withoutFirstLease) };
  }

  const isUsed = (aliases: object) => Object.keys(aliases).some((alias) => !alias.endsWith("-writer"));

  function withoutFirstLease(key: string, value: unknown) {
    return key.includes("-lease-1-") ? undefined : value;
  }

  test("may have a lower number than before, when the database was restored", async () => {
    const first = keep({ lease: leases.next(7) });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    await first.stop();
    keep({ lease: leases.next(4) });
    rows.put(4, 40);
    await untilValues({ 1: 10, 2: 20, 3: 30, 4: 40 });
  });

  test("is not taken from its holder by a former one", async () => {
    const lost = leases.next(1);
    keep({ lease: leases.next(2) });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    const before = await everything();
    const former = keep({ lease: lost });
    await former.ended;
    expect(former.errors).toEqual([new LeaseLostError(lost)]);
    expect(await everything()).toEqual(before);
  });

  test("is given up by an older release, which writes nothing", async () => {
    const newer = keep({ lease: leases.next(1), version: 2 });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    await newer.stop();
    const before = await everything();
    rows.put(1, 11);
    const older = keep({ lease: leases.next(2), version: 1 });
    await older.ended;
    expect(older).toMatchObject({ newerLayouts: [2], errors: [] });
    expect(await everything()).toEqual(before);
    keep({ lease: leases.next(3), version: 2 });
    await untilValues({ 1: 11, 2: 20, 3: 30 });
  });

  test("is given up by an older release whose index was replaced", async () => {
    const older = keep({ lease: leases.next(1), version: 1 });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    keep({ lease: leases.next(2), version: 2 });
    await older.ended;
    await until(async () => expect((await findBuiltIndex(opened.cluster, opened.alias))?.version).toBe(2));
    rows.put(1, 11);
    await untilValues({ 1: 11, 2: 20, 3: 30 });
  });

  test("lets an older release build again when the newer index was deleted", async () => {
    const newer = keep({ lease: leases.next(1), version: 2 });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    await newer.stop();
    const name = (await findBuiltIndex(opened.cluster, opened.alias))?.name;
    await opened.cluster.request({ method: "DELETE", path: `/${name}` });
    keep({ lease: leases.next(2), version: 1 });
    await untilValues({ 1: 10, 2: 20, 3: 30 });
    expect((await findBuiltIndex(opened.cluster, opened.alias))?.version).toBe(1);
  });
});

interface PausedCluster extends Cluster {
  /** Resolves when the pause has begun. */
  readonly paused: Promise<void>;
  /** Ends the pause. */
  resume(): void;
}

/** Like a process that is stopped just before the first such request, and continues later as if nothing had happened. */
function pauseBefore(cluster: Cluster, isPoint: (request: ClusterRequest) => boolean): PausedCluster {
  const paused = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  let isPaused = false;
  return {
    ...cluster,
    paused: paused.promise,
    resume: resumed.resolve,
    async request(request, signal) {
      isPaused ||= isPoint(request);
      if (isPaused) {
        paused.resolve();
        await resumed.promise;
      }
      return cluster.request(request, signal);
    },
  };
}
