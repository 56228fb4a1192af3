import { setTimeout } from "node:timers/promises";
import { ApiError } from "@product-search/core/errors.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Keeper, keepRows, Rows, valuesBehind } from "../../testing/kept-index.ts";
import { describeOnOpenSearch, openTestIndex, type TestIndex } from "../../testing/opensearch.ts";
import { ClusterError } from "./cluster.ts";
import { findBuild, findBuiltIndex } from "./index-names.ts";
import type { KeepIndexSettings } from "./keep-index.ts";
import { writeEntries } from "./write-entries.ts";

describeOnOpenSearch("the keeper of an index", () => {
  let opened: TestIndex;
  let rows: Rows;
  beforeEach(() => {
    opened = openTestIndex();
    rows = new Rows();
  });
  const keepers: Keeper[] = [];
  afterEach(async () => {
    for (const { stop } of keepers.splice(0)) await stop();
    await opened.close();
  });

  function keep(settings: Partial<KeepIndexSettings> = {}): Keeper {
    const keeper = keepRows(opened, rows, settings);
    keepers.push(keeper);
    return keeper;
  }

  const values = () => valuesBehind(opened);
  const untilValues = (expected: Record<string, number>) =>
    vi.waitFor(async () => expect(await values()).toEqual(expected), { timeout: 60_000, interval: 20 });

  test("allows a copy to be allocated again after more failures than OpenSearch does", async () => {
    rows.put(1, 10);
    keep();
    await untilValues({ 1: 10 });
    const response = await opened.cluster.request({
      method: "GET",
      path: `/${opened.alias}*/_settings?flat_settings=true`,
    });
    const found = Object.values(response as Record<string, { settings: Record<string, string> }>);
    const retries = found.map(({ settings }) => settings["index.allocation.max_retries"]);
    // The index and the one of its state.
    expect(retries).toEqual(["100", "100"]);
  });

  test("writes existing rows, then follows changes and deletions", async () => {
    for (const rowId of [1, 2, 3, 4, 5]) rows.put(rowId, rowId * 10);
    keep();
    await untilValues({ 1: 10, 2: 20, 3: 30, 4: 40, 5: 50 });
    rows.put(2, 21);
    rows.put(3, undefined);
    rows.put(6, 60);
    await untilValues({ 1: 10, 2: 21, 4: 40, 5: 50, 6: 60 });
  });

  test("continues where the previous writer stopped, in the same index", async () => {
    rows.put(1, 10);
    const first = keep();
    await untilValues({ 1: 10 });
    await first.stop();
    const name = (await findBuiltIndex(opened.cluster, opened.alias))?.name;
    rows.put(2, 20);
    keep();
    await untilValues({ 1: 10, 2: 20 });
    expect((await findBuiltIndex(opened.cluster, opened.alias))?.name).toBe(name);
  });

  test("a late writer of a former release overwrites nothing newer and restores nothing deleted", async () => {
    rows.put(1, 10);
    rows.put(2, 20);
    keep();
    await untilValues({ 1: 10, 2: 20 });
    rows.put(1, 11);
    rows.put(2, undefined);
    await untilValues({ 1: 11 });
    const name = (await findBuiltIndex(opened.cluster, opened.alias))?.name ?? "";
    const late = [1, 2].map((id) => ({ id, version: id, source: { value: -1 } }));
    await writeEntries(opened.cluster, `${name}-writer`, late, () => {});
    await opened.cluster.request({ method: "POST", path: `/${opened.alias}/_refresh` });
    expect(await values()).toEqual({ 1: 11 });
  });

  test("builds an index of a new layout next to the old one, which is updated until the switch", async () => {
    for (const rowId of [1, 2, 3, 4, 5, 6]) rows.put(rowId, 0);
    const first = keep();
    await untilValues({ 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0 });
    await first.stop();
    const former = (await findBuiltIndex(opened.cluster, opened.alias))?.name;
    let round = 0;
    rows.onScan = () => rows.put(1, ++round);
    const seen: number[] = [];
    const searching = new AbortController();
    const searches = (async () => {
      while (!searching.signal.aborted) {
        const found = await values();
        expect(Object.keys(found)).toHaveLength(6);
        seen.push(found[1] ?? -1);
        await setTimeout(5);
      }
    })();
    keep({ version: 2 });
    await vi.waitFor(
      async () => expect((await findBuiltIndex(opened.cluster, opened.alias))?.version).toBe(2),
      { timeout: 60_000 },
    );
    rows.onScan = () => {};
    rows.put(1, 100);
    await untilValues({ 1: 100, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0 });
    searching.abort();
    await searches;
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const names = await opened.cluster.request({ method: "GET", path: `/${opened.alias}-v*/_alias` });
    await vi.waitFor(() => expect(Object.keys(names as object)).not.toContain(former), { timeout: 60_000 });
  });

  const shardsAndReplicas = async () => {
    const name = (await findBuiltIndex(opened.cluster, opened.alias))?.name ?? "none";
    const path = `/${name}/_settings?flat_settings=true`;
    const found = (await opened.cluster.request({ method: "GET", path })) as Record<
      string,
      { settings: Record<string, string> }
    >;
    const { settings } = found[name] ?? {};
    return [settings?.["index.number_of_shards"], settings?.["index.auto_expand_replicas"]];
  };

  test("gets as many shards as its entries need, and more when it has outgrown them", async () => {
    for (const rowId of [1, 2, 3, 4]) rows.put(rowId, rowId);
    keep({ shards: { chosen: undefined, entriesEach: 4 }, measureMs: 20 });
    await untilValues({ 1: 1, 2: 2, 3: 3, 4: 4 });
    expect(await shardsAndReplicas()).toEqual(["1", "0-1"]);
    for (const rowId of [5, 6, 7, 8, 9]) rows.put(rowId, rowId);
    rows.onScan = () => rows.put(1, 100);
    await vi.waitFor(async () => expect(await shardsAndReplicas()).toEqual(["3", "0-1"]), {
      timeout: 60_000,
    });
    rows.onScan = () => {};
    await untilValues({ 1: 100, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9 });
  });

  test("has the shards and copies that are chosen, also when they are changed", async () => {
    rows.put(1, 1);
    const first = keep({ shards: { chosen: 2, entriesEach: 1000 }, replicas: 0 });
    await untilValues({ 1: 1 });
    expect(await shardsAndReplicas()).toEqual(["2", "0-0"]);
    await first.stop();
    const second = keep({ shards: { chosen: 2, entriesEach: 1000 }, replicas: 2 });
    await vi.waitFor(async () => expect(await shardsAndReplicas()).toEqual(["2", "0-2"]), {
      timeout: 60_000,
    });
    await second.stop();
    keep({ shards: { chosen: 1, entriesEach: 1000 }, replicas: 2 });
    await vi.waitFor(async () => expect(await shardsAndReplicas()).toEqual(["1", "0-2"]), {
      timeout: 60_000,
    });
    expect(await values()).toEqual({ 1: 1 });
  });

  test("continues an interrupted build, and leaves no other index behind", async () => {
    const expected = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [i + 1, i + 1]));
    for (const [rowId, value] of Object.entries(expected)) rows.put(Number(rowId), value);
    await opened.cluster.request({ method: "PUT", path: `/${opened.alias}-v1-0a` });
    const scanned: number[] = [];
    const { scan } = rows.source;
    let hasFailed = false;
    const source: typeof rows.source = {
      ...rows.source,
      scan: (after, limit) => {
        if (limit === 1) return scan(after, limit);
        scanned.push(after);
        if (after < 60 || hasFailed) return scan(after, limit);
        hasFailed = true;
        rows.put(1, 11);
        throw new ApiError("unavailable", "The database cannot be reached.");
      },
    };
    keep({ source });
    await untilValues({ ...expected, 1: 11 });
    expect(scanned.slice(scanned.indexOf(60) + 1)[0]).toBe(60);
    const { alias, cluster } = opened;
    const names = await cluster.request({ method: "GET", path: `/${alias}-v*/_alias` });
    expect(Object.keys(names as object)).toEqual([(await findBuiltIndex(cluster, alias))?.name]);
  });

  test("goes on with fewer rows at once after a timeout, and tells how far it is", async () => {
    const expected = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 1, i + 1]));
    const entries = Object.entries(expected).map(([id, value]) => ({ id: Number(id), source: { value } }));
    const source: typeof rows.source = {
      ...rows.source,
      scan: async (after, limit) => entries.filter(({ id }) => id > after).slice(0, limit),
      count: async () => entries.length,
    };
    const sizes: number[] = [];
    const builds: unknown[] = [];
    const busy: typeof opened.cluster = {
      ...opened.cluster,
      request: async (request, signal) => {
        if (!request.path.includes("_bulk")) return opened.cluster.request(request, signal);
        const size = (request.lines?.length ?? 0) / 2;
        sizes.push(size);
        if (size > 8) throw new ClusterError(undefined, "it cannot be reached");
        builds.push(await findBuild(opened.cluster, opened.alias));
        return opened.cluster.request(request, signal);
      },
    };
    keep({ source, cluster: busy });
    await untilValues(expected);
    // Halved from 500 on, then a quarter more each time.
    expect(sizes).toEqual([20, 20, 20, 20, 20, 16, 8, 10, 5, 7]);
    const figures = { total: 20, sinceMs: expect.any(Number) };
    expect(builds).toEqual([0, 8, 13].map((written) => ({ written, ...figures })));
    expect(await findBuild(opened.cluster, opened.alias)).toBeUndefined();
  });

  test("builds anew when the store was put back while changes were written", async () => {
    for (const rowId of [1, 2, 3]) rows.put(rowId, rowId);
    const { read } = rows.source;
    let isFirst = true;
    const source: typeof rows.source = {
      ...rows.source,
      read: async (rowIds) => {
        const entries = await read(rowIds);
        // A database without the last change takes over, and has as many others.
        if (isFirst) rows.restore(new Map([7, 8, 9, 10].map((rowId) => [rowId, rowId])));
        isFirst = false;
        return entries;
      },
    };
    keep({ source });
    await untilValues({ 1: 1, 2: 2, 3: 3 });
    rows.put(4, 4);
    await untilValues({ 7: 7, 8: 8, 9: 9, 10: 10 });
  });

  test("builds anew when another server takes over between reading changes and their mark", async () => {
    for (const rowId of [1, 2, 3]) rows.put(rowId, rowId);
    const { changesAfter } = rows.source;
    let isFirst = true;
    const source: typeof rows.source = {
      ...rows.source,
      changesAfter: async (...range) => {
        const changes = await changesAfter(...range);
        if (changes.length > 0 && isFirst) {
          isFirst = false;
          rows.restore(new Map([7, 8, 9, 10].map((rowId) => [rowId, rowId])));
        }
        return changes;
      },
    };
    keep({ source });
    await untilValues({ 1: 1, 2: 2, 3: 3 });
    rows.put(1, 11);
    await untilValues({ 7: 7, 8: 8, 9: 9, 10: 10 });
  });

  test("builds anew when the store was put back to an earlier day, even when it has as many changes again", async () => {
    for (const rowId of [1, 2, 3, 4]) rows.put(rowId, rowId);
    const first = keep();
    await untilValues({ 1: 1, 2: 2, 3: 3, 4: 4 });
    rows.restore(new Map([[1, 1]]));
    await untilValues({ 1: 1 });
    await first.stop();
    // As many changes as the index knows already, but others.
    rows.restore(new Map([7, 8, 9].map((rowId) => [rowId, rowId])));
    keep();
    await untilValues({ 7: 7, 8: 8, 9: 9 });
  });

  test("completes a build that took so long that the mark of its beginning is not kept any more", async () => {
    for (const rowId of [1, 2, 3]) rows.put(rowId, rowId);
    let oldestKept = 0;
    const source: typeof rows.source = {
      ...rows.source,
      markAt: async (sequence) => `mark of ${Math.max(sequence, oldestKept)}`,
      scan: async (...range) => {
        rows.put(1, 11);
        oldestKept = await rows.source.lastSequence();
        return rows.source.scan(...range);
      },
    };
    keep({ source });
    await untilValues({ 1: 11, 2: 2, 3: 3 });
  });

  test("continues after the database was too busy for a moment", async () => {
    rows.put(1, 1);
    const { changesAfter } = rows.source;
    const timeout = Object.assign(new Error("canceling statement due to statement timeout"), {
      code: "57014",
    });
    let hasFailed = false;
    const source: typeof rows.source = {
      ...rows.source,
      changesAfter: async (...range) => {
        if (hasFailed) return changesAfter(...range);
        hasFailed = true;
        throw timeout;
      },
    };
    const { errors } = keep({ source });
    await untilValues({ 1: 1 });
    rows.put(1, 2);
    await untilValues({ 1: 2 });
    expect(errors).toEqual([timeout]);
  });

  test("builds the index again when it was deleted, with changes or without", async () => {
    rows.put(1, 10);
    keep();
    await untilValues({ 1: 10 });
    const deleteIndex = async () => {
      const name = (await findBuiltIndex(opened.cluster, opened.alias))?.name;
      await opened.cluster.request({ method: "DELETE", path: `/${name}` });
    };
    await deleteIndex();
    rows.put(2, 20);
    await untilValues({ 1: 10, 2: 20 });
    await deleteIndex();
    await untilValues({ 1: 10, 2: 20 });
  });

  test("reports rows that OpenSearch rejects, and continues", async () => {
    rows.put(1, 10);
    const { refused } = keep();
    await untilValues({ 1: 10 });
    rows.put(2, Number.MAX_VALUE);
    rows.put(3, 30);
    await untilValues({ 1: 10, 3: 30 });
    // The row after it may be found before the response to both is read; a repeated batch reports it again.
    await vi.waitFor(() => expect(new Set(refused)).toEqual(new Set([2])), { timeout: 60_000 });
  });

  describe("a writer whose index was deleted", () => {
    test("does not create a new one without a layout", async () => {
      const entries = [{ id: 1, version: 1, source: { value: 1 } }];
      const write = writeEntries(opened.cluster, `${opened.alias}-v1-gone-writer`, entries, () => {});
      await expect(write).rejects.toThrow("404");
    });
  });
});
