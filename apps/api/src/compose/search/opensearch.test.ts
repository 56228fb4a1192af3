import type { IndexBuild } from "@product-search/opensearch/cluster/index-names.ts";
import { describeOnOpenSearch, soleLease, testNodes } from "@product-search/opensearch/testing/opensearch.ts";
import { openTextOnOpenSearch } from "@product-search/opensearch/testing/opensearch-text.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import { expect, onTestFinished, test } from "vitest";
import { composeOpenSearch } from "./opensearch.ts";
import { describeBuild } from "./search-cluster.ts";

async function openNode() {
  const { cluster, alias: prefix, store, close } = await openTextOnOpenSearch();
  const node = composeOpenSearch({ nodes: testNodes, prefix }, serviceLanguages(["en"]));
  onTestFinished(async () => {
    await node.close();
    await close();
  });
  const put = (path: string, body: object) => cluster.request({ method: "PUT", path, body });
  return { prefix, store, put, ...node };
}

describeOnOpenSearch("a node with an older release than the index", () => {
  test("says once that it does not write the index, and ends the work", async () => {
    const { prefix, store, put, keepTextIndex } = await openNode();
    const name = `${prefix}-text-v99-0a`;
    await put(`/${name}`, { aliases: { [`${prefix}-text`]: {} } });
    await put(`/${prefix}-text-state/_doc/${name}`, { sequence: 1, version: 99, identity: "x", mark: "x" });
    const logged: Array<{ error: unknown; what: string }> = [];
    for (let turn = 0; turn < 2; turn++) {
      await keepTextIndex(
        { catalogStore: store, markOfHistory: async () => "x" },
        (error, what) => logged.push({ error, what }),
        { ...soleLease, signal: new AbortController().signal },
      );
    }
    expect(logged.map(({ what }) => what)).toEqual(["this node leaves an index to nodes of a newer release"]);
    expect(String(logged[0]?.error)).toContain(`The index behind "${prefix}-text" has layout 99`);
  });
});

describeOnOpenSearch("a node that starts while changes keep coming", () => {
  test("waits only for those that there were when it started", async () => {
    const { prefix, store, put, untilSearchable } = await openNode();
    const name = `${prefix}-text-v4-0a`;
    const record = (sequence: number) =>
      put(`/${prefix}-text-state/_doc/${name}`, { sequence, version: 4, identity: "x", mark: "x" });
    await put(`/${name}`, { aliases: { [`${prefix}-text`]: {} } });
    await record(5);
    let newest = 5;
    // Each time there is one more, and the index has the one before.
    const lastSequence = async () => {
      newest += 1;
      setTimeout(() => void record(newest), 20);
      return newest;
    };
    const signal = AbortSignal.timeout(60_000);
    const catalogStore = { ...store, lastSequence };
    await untilSearchable({ catalogStore, markOfHistory: async () => "x" }, () => {}, fail, signal);
    expect(signal.aborted).toBe(false);
  });
});

describeOnOpenSearch("a node that starts while the first index is built", () => {
  test("is told how far it is, until it is complete", async () => {
    const { prefix, store, put, untilSearchable } = await openNode();
    const name = `${prefix}-text-v4-0a`;
    const about = { sequence: 9, version: 4, identity: "x", mark: "x" };
    const build = { written: 1500, total: 2400, sinceMs: Date.UTC(2026, 0, 31, 12) };
    await put(`/${name}`, {});
    await put(`/${prefix}-text-state/_doc/${name}`, { ...about, scannedTo: 1500, build });
    const reported = new Set<string>();
    const onBuild = async (one: IndexBuild | undefined) => {
      reported.add(one === undefined ? "none" : describeBuild(one));
      await put(`/${prefix}-text-state/_doc/${name}`, { ...about, build });
      await put(`/${name}/_alias/${prefix}-text`, {});
    };
    const signal = AbortSignal.timeout(60_000);
    const catalogStore = { ...store, lastSequence: async () => 9 };
    await untilSearchable({ catalogStore, markOfHistory: async () => "x" }, onBuild, fail, signal);
    expect(signal.aborted).toBe(false);
    expect([...reported][0]).toBe("1,500 of 2,400, since 2026-01-31T12:00:00Z");
  });
});

function fail(error: unknown): never {
  throw error;
}
