import { describeOnOpenSearch, testNodes } from "@product-search/opensearch/testing/opensearch.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { createSegmentBuilder, openIndex, snapshotOf } from "@product-search/text-index";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { expect, test } from "vitest";
import { sampleDocuments } from "../text/sample-documents.ts";
import { openClusterIndex } from "./cluster-index.ts";
import { compareEngines } from "./compare-engines.ts";
import { variedQueries } from "./varied-queries.ts";

describeOnOpenSearch("OpenSearch and the embedded index", () => {
  test("agree on totals, facets and readings, and nearly always on pages", async () => {
    const documents = [...sampleDocuments(2000)];
    const builder = createSegmentBuilder();
    for (const document of documents) builder.add(document);
    const index = openIndex(snapshotOf(builder.build(), 0), undefined, [serviceLanguage]);
    const cluster = await openClusterIndex(testNodes, documents, 2);
    try {
      const { pagesDiffer, relatedDiffer, queries, ...agreement } = await compareEngines(
        index,
        cluster,
        index,
        variedQueries(200, documents.length, testSeed("the varied queries", 7)),
      );
      expect(agreement).toMatchObject({ totalsDiffer: 0, facetsDiffer: 0, readingsDiffer: 0 });
      // Of a way with several terms, and of very many ways, the points are not the same.
      expect((pagesDiffer + relatedDiffer) / queries).toBeLessThan(0.03);
    } finally {
      await cluster.close();
    }
  });
});
