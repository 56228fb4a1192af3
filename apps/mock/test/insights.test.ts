import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogSearchResponse, SearchInsightsResponse } from "@product-search/types";
import { afterAll, expect, it } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

const folder = await mkdtemp(join(tmpdir(), "mock-insights-"));
afterAll(() => rm(folder, { recursive: true }));

it("counts searches and events at once, and keeps them in its state", async () => {
  const stateFile = join(folder, "state.json");
  const first = await startMock({ stateFile });
  const call = createCall(first);
  const { body } = await call<CatalogSearchResponse>("/search/catalog?q=Lamp");
  await call("/search/catalog?q=zzqqxxjj");
  const click = { type: "click", productId: body.Products[1]?._id, queryId: body.queryId, position: 2 };
  const sent = await call("/events", { body: { events: [click, click] } });
  expect(sent).toMatchObject({ status: 202, body: { status: "success", accepted: 1 } });
  const forged = { ...click, queryId: "forged" };
  expect((await call("/events", { body: { events: [forged] } })).body).toMatchObject({ accepted: 0 });
  const expected = {
    searches: [
      { query: "lamp", searches: 1, results: body.count, clicks: 1, clickRate: 1, averagePosition: 2 },
      { query: "zzqqxxjj", searches: 1, results: 0, clicks: 0, clickRate: 0 },
    ],
    totals: { searches: 2, noResults: 1, clicks: 1 },
  };
  expect((await call<SearchInsightsResponse>("/insights/searches")).body).toMatchObject(expected);
  await first.stop();

  const after = createCall(await startMock({ stateFile }));
  expect((await after<SearchInsightsResponse>("/insights/searches")).body).toMatchObject(expected);
  await after("/events", { body: { events: [click] } });
  expect((await after<SearchInsightsResponse>("/insights/searches")).body.totals.clicks).toBe(1);
});
