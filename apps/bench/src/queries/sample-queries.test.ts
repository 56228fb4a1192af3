import { expect, test } from "vitest";
import { judgeQueries, judgeShops, searchDocuments } from "../evaluations/eval-queries.ts";
import { sampleDocuments } from "../text/sample-documents.ts";
import sampleQueries from "./sample-queries.json" with { type: "json" };
import shopQueries from "./shop-queries.json" with { type: "json" };

test("queries over the sample catalog find the requested thing, or nothing if there is no such thing", () => {
  const report = judgeQueries(sampleQueries, searchDocuments([...sampleDocuments(5000)]));
  expect(report.absent).toEqual({ queries: 60, missed: [] });
  expect(report.present).toEqual({ queries: 100, missed: [] });
  expect(report.right.missed).toEqual([]);
  expect(report.typos.missed).toEqual([]);
  expect(report.uncorrected.missed).toEqual([]);
});

test("of 200 queries of five shops at most four of a hundred find nothing, or something else first", () => {
  const { tuned, held } = judgeShops(shopQueries);
  for (const { present, right, uncorrected } of [tuned, held]) {
    expect(present.queries).toBe(100);
    expect(present.missed.length).toBeLessThanOrEqual(4);
    expect(right.missed.length).toBeLessThanOrEqual(4);
    expect(uncorrected.missed).toEqual([]);
  }
});
