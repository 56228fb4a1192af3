import type { TermWay } from "@product-search/text-index";
import { expect, test } from "vitest";
import { describeOnOpenSearch, openTestIndex } from "../../testing/opensearch.ts";
import { compileReading } from "./compile-query.ts";
import { runSearches } from "./run-searches.ts";
import { textLayout } from "./text-layout.ts";

describeOnOpenSearch("the points of a word", () => {
  const weight = 92;
  const exact: TermWay = { terms: ["holdall"], weight: 1 };
  const synonym: TermWay = { terms: ["duffel"], weight: 0.8 };
  const several: TermWay = { terms: ["gym", "bag"], weight: 0.8 };

  test("are the rounded share of the best way, times the weight, as in the embedded index", async () => {
    const { cluster, alias, close } = openTestIndex(60_000);
    try {
      const { settings, ...layout } = textLayout();
      const body = { ...layout, settings: { ...settings, number_of_shards: 1, number_of_replicas: 0 } };
      await cluster.request({ method: "PUT", path: `/${alias}`, body });
      const texts = ["holdall|211", "duffel|211", "duffel|211\nholdall|100", "gym|150\nbag|150"];
      const lines = texts.flatMap((terms, rowId) => [
        { index: { _id: String(rowId) } },
        { rowId, terms, quality: 0 },
      ]);
      const path = `/${alias}/_bulk?refresh=true`;
      await cluster.request({ method: "POST", path, lines: lines.map((line) => JSON.stringify(line)) });
      const scoresOf = async (ways: readonly TermWay[]) => {
        const words = [{ ways, weight, isRequired: true }];
        const { filter, must, should } = compileReading({ finds: "words", words, key: undefined }).scored;
        const query = { bool: { filter, must, should } };
        const search = { size: 9, query, sort: [{ rowId: "asc" }, "_score"] };
        const [found] = await runSearches({ cluster, index: alias }, [search], { preference: "test" });
        return new Map(found?.hits.map(({ rowId, sort }) => [rowId, sort[1]]));
      };
      const shared = Math.round(211 * 0.8) * weight;
      expect(await scoresOf([exact])).toEqual(
        new Map([
          [0, 211 * weight],
          [2, 100 * weight],
        ]),
      );
      expect(await scoresOf([synonym])).toEqual(
        new Map([
          [1, shared],
          [2, shared],
        ]),
      );
      expect(await scoresOf([exact, synonym, several])).toEqual(
        new Map([
          [0, 211 * weight],
          [1, shared],
          [2, shared],
          [3, 150 * 0.8 * weight],
        ]),
      );
    } finally {
      await close();
    }
  });
});
