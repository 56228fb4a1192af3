import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { sql } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import { createInsightService } from "../../testing/insight-service.ts";
import { createTestService } from "../../testing/test-service.ts";

const id = "searchInsights";
const dayMs = 24 * 3600 * 1000;
const service = await createInsightService();
afterAll(() => service.close());

/** Each case has a day of its own. */
async function newDay(): Promise<Record<string, string>> {
  await service.counted();
  service.clock.nowMs += dayMs;
  return { from: new Date(service.clock.nowMs - (service.clock.nowMs % dayMs)).toISOString() };
}

describe("200", () => {
  it("lists the texts by their number of searches, with results and clicks, and the totals", async () => {
    const today = await newDay();
    const { queryId, Products } = await service.search("Mug");
    await service.search("mug ");
    await service.search("flugelhorn");
    await service.send([
      { type: "click", productId: Products[0]?._id, queryId, position: 1 },
      { type: "click", productId: Products[3]?._id, queryId, position: 4 },
      { type: "click", productId: Products[3]?._id, queryId, position: 4 },
    ]);
    const response = await service.insights(today);
    expectDocumented(id, 200, response);
    expect(response.json()).toEqual({
      status: "success",
      searches: [
        {
          ...{ query: "mug", searches: 2, results: 30, clicks: 2, clickRate: 1, averagePosition: 2.5 },
          clickedProducts: [Products[0]?._id ?? "", Products[3]?._id ?? ""]
            .toSorted()
            .map((_id) => ({ _id, name: expect.any(String), slug: expect.any(String), clicks: 1 })),
        },
        { query: "flugelhorn", searches: 1, results: 0, clicks: 0, clickRate: 0 },
      ],
      totals: { searches: 3, noResults: 1, clicks: 2 },
    });
    expect((await service.insights({ ...today, limit: "1" })).json().searches).toHaveLength(1);
  });

  it("lists what finds nothing, and what nobody clicks", async () => {
    const today = await newDay();
    for (const q of ["kazoo", "kazoo", "sitar", "mug"]) await service.search(q);
    const queries = async (kind: string) => {
      const response = await service.insights({ ...today, kind });
      expectDocumented(id, 200, response);
      return response.json().searches.map(({ query }: { query: string }) => query);
    };
    expect(await queries("noResults")).toEqual(["kazoo", "sitar"]);
    expect(await queries("noClicks")).toEqual(["mug"]);
  });

  it("counts a text that the same client continues within two seconds once", async () => {
    const today = await newDay();
    for (const q of ["k", "ka", "kazo", "kazoo"]) {
      await service.search(q);
      service.clock.nowMs += 700;
    }
    service.clock.nowMs += 2100;
    await service.search("kazoo player");
    const { searches, totals } = (await service.insights(today)).json();
    expect(totals.searches).toBe(2);
    expect(searches.map(({ query }: { query: string }) => query)).toEqual(["kazoo", "kazoo player"]);
  });

  it("counts the first page of a text alone, and no search without a text", async () => {
    const today = await newDay();
    await service.search("mug", { page: "2", count: "10" });
    await service.app.inject({ url: "/api/v1/search/trial?q=mug" });
    expect((await service.insights(today)).json().totals).toEqual({ searches: 0, noResults: 0, clicks: 0 });
  });

  it("counts a search for which a rule names a page as one with a result", async () => {
    const today = await newDay();
    await service.search("vouchers");
    const token = await service.token({ scopes: ["merchandising"] });
    const rule = {
      name: "Vouchers",
      when: { query: "vouchers" },
      redirectUrl: "https://shop.example/vouchers",
    };
    const created = await service.app.inject({
      method: "POST",
      url: "/api/v1/rules",
      headers: { authorization: `Bearer ${token}` },
      payload: rule,
    });
    expect(created.statusCode).toBe(201);
    const version = await service.stores.ruleStore.version();
    await expect.poll(() => service.ports.rules().version).toBe(version);
    await service.search("vouchers");
    const { searches, totals } = (await service.insights({ ...today, kind: "noResults" })).json();
    expect(totals).toEqual({ searches: 2, noResults: 1, clicks: 0 });
    expect(searches).toEqual([]);
  });

  it("has a series of all days of the period", async () => {
    const today = await newDay();
    await service.search("mug");
    const from = new Date(Date.parse(today.from ?? "") - 2 * dayMs).toISOString();
    await service.counted();
    service.clock.nowMs += dayMs;
    const response = await service.insights({ from, interval: "day" });
    expectDocumented(id, 200, response);
    const { series } = response.json();
    expect(series).toHaveLength(4);
    expect(series[2]).toEqual({ day: today.from?.slice(0, 10), searches: 1, noResults: 0, clicks: 0 });
    expect(series[3]).toMatchObject({ searches: 0 });
  });

  it("keeps no text that looks personal, in no table", async () => {
    const today = await newDay();
    const personal = [
      "jane.doe@example.org",
      "+49 171 2345678",
      "4111 1111 1111 1111",
      "jane (at) example.org",
    ];
    for (const q of personal) await service.search(`mug ${q}`);
    await service.search("plain mug");
    const { searches, totals } = (await service.insights(today)).json();
    expect(totals.searches).toBe(5);
    expect(searches.map(({ query }: { query: string }) => query)).toEqual(["plain mug"]);
    const { db } = service.stores.database;
    for (const table of ["search_hours", "query_hours", "query_clicks", "product_events", "event_keys"]) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(db);
      const text = JSON.stringify(rows);
      for (const part of ["jane", "example.org", "171", "4111", "127.0.0.1", "tester", "pss_"])
        expect(text).not.toContain(part);
    }
  });
});

describe("400", () => {
  it.each([
    [{ kind: "best" }, /kind/],
    [{ from: "2026-02-31" }, /from: 2026-02-31 is no time that exists/],
    [{ from: "2026-11-20", to: "2026-11-19" }, /to: 2026-11-19 is before from/],
    [{ from: "2025-01-01", to: "2026-11-19" }, /from: is more than 366 days before to/],
    [{ limit: "501" }, /limit/],
    [{ interval: "hour" }, /interval/],
  ])("for %j", async (query, message) => {
    expectInvalid(id, message, await service.insights(query));
  });
});

describe("503", () => {
  it("when many reports wait; one at a time is made, and those that wait are made when it has ended", async () => {
    const held = Promise.withResolvers<void>();
    const running = { now: 0, most: 0 };
    const totals = async () => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await held.promise;
      running.now -= 1;
      return [];
    };
    const busy = await createTestService({
      ports: (ports) => ({
        ...ports,
        insightStore: {
          ...ports.insightStore,
          rank: async () => [],
          totals,
          clickedProducts: async () => new Map(),
        },
      }),
    });
    try {
      const headers = { authorization: `Bearer ${await busy.token({ scopes: ["merchandising"] })}` };
      const statuses: number[] = [];
      const read = async () => {
        const response = await busy.app.inject({ url: "/api/v1/insights/searches", headers });
        expectDocumented(id, response.statusCode, response);
        statuses.push(response.statusCode);
      };
      const reads = Array.from({ length: 19 }, read);
      await expect.poll(() => statuses).toEqual([503, 503]);
      held.resolve();
      await Promise.all(reads);
      expect(statuses.filter((status) => status === 200)).toHaveLength(17);
      expect(running.most).toBe(1);
    } finally {
      held.resolve();
      await busy.close();
    }
  });
});
