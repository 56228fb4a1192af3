import { describeMarketplaceSource } from "@product-search/testing/contracts/marketplace-source.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failure, respondWith, useUpstream } from "../testing/fixture.ts";
import { liveSource, plainProfile } from "../testing/live-source.ts";
import { type Respond, sendJson, startUpstream } from "../testing/upstream-server.ts";
import type { Pagination } from "./http/profile/profile.ts";

describe("the contract of a marketplace", () => {
  const size = { limitParameter: "size", maxLimit: 60 };
  const styles: Record<string, Pagination> = {
    "http, by page": { style: "page", pageParameter: "page", ...size },
    "http, by page from 0": { style: "page", pageParameter: "page", firstPage: 0, ...size },
    "http, by offset": { style: "offset", offsetParameter: "from", ...size },
    "http, by aligned offset": { style: "offset", offsetParameter: "from", aligned: true, ...size },
    "http, by cursor": { style: "cursor", cursorParameter: "after", next: "next", ...size },
  };

  for (const [name, pagination] of Object.entries(styles)) {
    describeMarketplaceSource(name, async (marketplace, count) => {
      const products = Array.from({ length: count }, (_, at) => ({
        id: `CODE${at + 1}`,
        name: `Mug ${at}`,
        price: 10,
        url: `/${at}`,
      }));
      const upstream = await startUpstream(({ url: { searchParams } }, response) => {
        const list = searchParams.get("q") === "mug" ? products : [];
        const limit = Number(searchParams.get("size"));
        const from = startOf(pagination, searchParams, limit);
        const items = list.slice(from, from + limit);
        sendJson(response, 200, {
          total: list.length,
          items,
          ...(from + limit < list.length && { next: from + limit }),
        });
      });
      const source = liveSource(plainProfile(upstream.baseUrl, { pagination }), { marketplace });
      return {
        source,
        async close() {
          await source.close();
          await upstream.close();
        },
      };
    });
  }

  function startOf(pagination: Pagination, parameters: URLSearchParams, limit: number): number {
    if (pagination.style === "offset") return Number(parameters.get("from"));
    if (pagination.style === "cursor") return Number(parameters.get("after") ?? 0);
    return (Number(parameters.get("page")) - (pagination.firstPage ?? 1)) * limit;
  }
});

describe("hostile", () => {
  const fixture = useUpstream();
  afterEach(() => void vi.restoreAllMocks());
  const deadlineMs = 500;
  /** A busy machine may exceed the deadline a little. The benchmark measures the exact figure. */
  const soonMs = 5000;

  const silent: Record<string, [Respond, { code: string; message: string }]> = {
    hangs: [() => {}, { code: "upstream_timeout", message: "did not respond" }],
    "sends its response byte by byte": [
      (_, response) => {
        response.write("{");
        const timer = setInterval(() => response.write(" "), 50);
        response.on("close", () => clearInterval(timer));
      },
      { code: "upstream_timeout", message: "did not respond" },
    ],
  };

  const faulty: typeof silent = {
    resets: [(_, response) => response.destroy(), { code: "upstream_failed", message: "cannot be reached" }],
    "breaks off": [
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"items": [');
        setTimeout(() => response.destroy(), 20);
      },
      { code: "upstream_failed", message: "cannot be reached" },
    ],
    "returns garbage": [
      (_, response) => response.end("<html>It works!</html>"),
      { code: "upstream_failed", message: "not JSON" },
    ],
    "returns JSON of another kind": [
      (_, response) => sendJson(response, 200, { items: "none" }),
      { code: "upstream_failed", message: "does not match its profile" },
    ],
    "returns null": [
      (_, response) => sendJson(response, 200, null),
      { code: "upstream_failed", message: "does not match its profile" },
    ],
    "always fails": [
      (_, response) => sendJson(response, 503, {}),
      { code: "upstream_failed", message: "failed (HTTP 503)" },
    ],
    "refuses the search": [
      (_, response) => sendJson(response, 400, {}),
      { code: "upstream_failed", message: "refused the search (HTTP 400)" },
    ],
    "sends 50 MB": [
      (_, response) => void sendMegabytes(response, 50),
      { code: "upstream_failed", message: "more than can be read" },
    ],
  };

  /** Makes the circuit breaker see this much time pass. */
  function letPass(ms: number): void {
    const realNow = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + ms);
  }

  async function sendMegabytes(response: Parameters<Respond>[1], count: number): Promise<void> {
    const megabyte = Buffer.alloc(1_000_000, " ");
    for (let sent = 0; sent < count && !response.destroyed; sent++) {
      if (!response.write(megabyte))
        await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    response.end();
  }

  /** Only silent marketplaces need a short deadline. The others are refused because of their response. */
  const cases = [
    ...Object.entries(silent).map(([name, row]) => [name, row, { deadlineMs }] as const),
    ...Object.entries(faulty).map(([name, row]) => [name, row, {}] as const),
  ];

  describe("a marketplace that", () => {
    it.each(cases)("%s is named in time", async (_, [respond, expected], options) => {
      fixture.upstream.respond = respond;
      const { error, ms } = await failure(fixture.source({}, options).find("mug"));
      expect(error).toMatchObject({
        code: expected.code,
        message: expect.stringContaining(expected.message),
      });
      expect(error).toMatchObject({ message: expect.stringMatching(/^marketplace-a /) });
      expect(ms).toBeLessThan(soonMs);
    });

    it.each(cases)("%s has its last response served as stale", async (_, [respond], options) => {
      const live = fixture.source({ cache: { freshSeconds: 0, staleSeconds: 60 } }, options);
      await live.find("mug");
      fixture.upstream.respond = respond;
      const page = await live.find("mug");
      expect(page).toMatchObject({ total: 3, freshness: { from: "stale" } });
      expect(page.freshness?.freshForSeconds).toBeLessThanOrEqual(0);
      expect(page.items).toHaveLength(3);
    });

    it("fails twice gets a third request", async () => {
      fixture.upstream.respond = (seen, response) =>
        fixture.upstream.seen.length < 3 ? sendJson(response, 500, {}) : respondWith(3)(seen, response);
      expect((await fixture.source().find("mug")).items).toHaveLength(3);
      expect(fixture.upstream.seen).toHaveLength(3);
    });

    it("sends Retry-After gets no request until that time", async () => {
      fixture.upstream.respond = (_, response) => sendJson(response, 429, {}, { "retry-after": "30" });
      const live = fixture.source();
      const first = await failure(live.find("mug"));
      expect(first.error).toMatchObject({ code: "upstream_failed", headers: { "retry-after": "30" } });
      fixture.upstream.respond = respondWith(3);
      expect((await failure(live.find("cup"))).error).toMatchObject({
        message: expect.stringContaining("limits the rate"),
      });
      expect(fixture.upstream.seen).toHaveLength(1);
    });

    it("sends a short Retry-After gets another request after it, within the same response", async () => {
      fixture.upstream.respond = (seen, response) =>
        fixture.upstream.seen.length === 1
          ? sendJson(response, 429, {}, { "retry-after": "1" })
          : respondWith(3)(seen, response);
      expect((await fixture.source().find("mug")).items).toHaveLength(3);
      const [one, two] = fixture.upstream.seen;
      expect((two?.atMs ?? 0) - (one?.atMs ?? 0)).toBeGreaterThan(990);
    });

    it("redirects to another host is not followed", async () => {
      const other = await startUpstream(respondWith(3), "127.0.0.2");
      fixture.upstream.respond = (_, response) => {
        response.writeHead(302, { location: `${other.baseUrl}/` }).end();
      };
      const { error } = await failure(fixture.source().find("mug"));
      await other.close();
      expect(error).toMatchObject({ message: expect.stringContaining("redirects to another host") });
      expect(other.seen).toHaveLength(0);
    });

    it.each([
      ["shortest", 0],
      ["longest", 0.999],
    ])(
      "keeps failing opens the circuit, is probed after the %s open period, and is called again once it has recovered",
      async (_, dice) => {
        vi.spyOn(Math, "random").mockReturnValue(dice);
        fixture.upstream.respond = (_, response) => sendJson(response, 500, {});
        const live = fixture.source();
        await failure(live.find("one"));
        await failure(live.find("two"));
        const asked = fixture.upstream.seen.length;
        const { error } = await failure(live.find("three"));
        expect(error).toMatchObject({
          code: "upstream_failed",
          message: expect.stringContaining("not called for a while"),
        });
        expect(fixture.upstream.seen).toHaveLength(asked);
        fixture.upstream.respond = respondWith(3);
        letPass(2000);
        expect((await live.find("four")).items).toHaveLength(3);
        const circuit = live.events.flatMap((event) => (event.kind === "circuit" ? [event.state] : []));
        expect(circuit).toEqual(["open", "half-open", "closed"]);
      },
    );

    it("hangs blocks few requests, and every search ends in time", async () => {
      let concurrent = 0;
      let most = 0;
      fixture.upstream.respond = (_, response) => {
        most = Math.max(most, ++concurrent);
        response.on("close", () => concurrent--);
      };
      const live = fixture.source({}, { deadlineMs });
      const ends = await Promise.all(Array.from({ length: 300 }, (_, n) => failure(live.find(`mug ${n}`))));
      expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(soonMs);
      expect(ends.every(({ error }) => error !== undefined)).toBe(true);
      expect(most).toBeLessThanOrEqual(20);
      expect(ends.filter(({ error }) => String(error).includes("too many waiting searches"))).toHaveLength(
        180,
      );
    });
  });
});
