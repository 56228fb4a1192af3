import { describeOnOpenSearch, soleLease, testNodes } from "@product-search/opensearch/testing/opensearch.ts";
import { openTextOnOpenSearch } from "@product-search/opensearch/testing/opensearch-text.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import { expect, onTestFinished, test } from "vitest";
import { composeOpenSearch } from "./opensearch.ts";

describeOnOpenSearch("a node with an older release than the index", () => {
  test("says once that it does not write the index, and ends the work", async () => {
    const { cluster, alias: prefix, store, close } = await openTextOnOpenSearch();
    const { keepTextIndex, close: disconnect } = composeOpenSearch(
      { nodes: testNodes, prefix },
      serviceLanguages(["en"]),
    );
    onTestFinished(async () => {
      await disconnect();
      await close();
    });
    const name = `${prefix}-text-v99-0a`;
    const put = (path: string, body: object) => cluster.request({ method: "PUT", path, body });
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
    const { cluster, alias: prefix, store, close } = await openTextOnOpenSearch();
    const { untilSearchable, close: disconnect } = composeOpenSearch(
      { nodes: testNodes, prefix },
      serviceLanguages(["en"]),
    );
    onTestFinished(async () => {
      await disconnect();
      await close();
    });
    const name = `${prefix}-text-v4-0a`;
    const put = (path: string, body: object) => cluster.request({ method: "PUT", path, body });
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
    const signal = AbortSignal.timeout(3_000);
    const catalogStore = { ...store, lastSequence };
    await untilSearchable({ catalogStore, markOfHistory: async () => "x" }, fail, signal);
    expect(signal.aborted).toBe(false);
  });
});

function fail(error: unknown): never {
  throw error;
}
