import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { FeedSchedule, ScheduledFeed } from "@product-search/core/ports/imports.ts";
import { type PullFeedDeps, pullDueFeed } from "@product-search/features/catalog-write/feeds/pull-feed.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { createSqlFeedSchedule } from "@product-search/stores/feed-schedule/feed-schedule.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

describe("pull feed", () => {
  const minuteMs = 60_000;

  interface Page {
    status?: number;
    etag?: string;
    body?: string;
    isSilent?: boolean;
    /** Sends this many bytes every ten milliseconds, without end. */
    dripBytes?: number;
  }

  let fixture: ImportFixture;
  let schedule: FeedSchedule;
  let server: Server;
  let origin: string;
  let pages: Map<string, Page>;
  let requests: IncomingMessage[];
  const clock = { nowMs: 0, now: () => clock.nowMs };

  beforeEach(async () => {
    clock.nowMs = Date.UTC(2026, 0, 1);
    pages = new Map();
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      const {
        status = 200,
        etag,
        body = "",
        isSilent = false,
        dripBytes,
      } = pages.get(request.url ?? "") ?? { status: 404 };
      if (isSilent) return;
      const isKnown = etag !== undefined && request.headers["if-none-match"] === etag;
      response.writeHead(isKnown ? 304 : status, etag === undefined ? {} : { etag });
      if (dripBytes === undefined) return void response.end(isKnown ? "" : body);
      const dripping = setInterval(() => void response.write(nativeLine("drip").slice(0, dripBytes)), 10);
      response.on("close", () => clearInterval(dripping));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await open();
  });
  afterEach(async () => {
    await fixture.close();
    server.close();
    server.closeAllConnections();
  });

  async function open(environment: Record<string, string> = {}) {
    await fixture?.close().catch(() => {});
    fixture = await createImportFixture(environment);
    schedule = createSqlFeedSchedule({ db: fixture.stores.database.db, clock });
  }

  const feedAt = (path: string, more: Partial<ScheduledFeed> = {}): ScheduledFeed => ({
    source: "catalog",
    url: origin + path,
    periodMs: 30 * minuteMs,
    absent: "keep",
    ...more,
  });
  const pull = (signal = new AbortController().signal) => {
    const deps: PullFeedDeps = { ...fixture.deps, clock, feedSchedule: schedule };
    return pullDueFeed(deps, () => ({ onReject: () => {}, onDiscarded: () => {} }), signal);
  };
  const asked = () => requests.map(({ url, headers }) => [url, headers["if-none-match"]]);

  test("a scheduled table with other columns is read with the map of an import by hand", async () => {
    const table = (price: string) => `Ref,Libellé,Tarif\nR1,Lampe,${price}\n`;
    const map = { fields: { id: "Ref", title: "Libellé", price: "Tarif" }, attributes: [] };
    await fixture.run(fixture.file(table("10")), { map, site: "https://lampes.example" });
    pages.set("/table.csv", { body: table("12") });
    // The import by hand has the real time.
    clock.nowMs = Date.now() + minuteMs;
    await schedule.configure([feedAt("/table.csv")]);
    expect(await pull()).toMatchObject({ summary: { updated: 1, refused: 0 } });
    expect((await fixture.products()).map(({ priceMinor }) => priceMinor)).toEqual([1200]);
  });

  describe("a scheduled feed", () => {
    test("is imported when it is due, and asked for changes the next time", async () => {
      pages.set("/a", { etag: '"1"', body: nativeLine("a") + nativeLine("b") });
      await schedule.configure([feedAt("/a")]);
      expect(await pull()).toMatchObject({ summary: { created: 2 } });
      expect(await pull()).toBeUndefined();
      clock.nowMs += 30 * minuteMs;
      expect(await pull()).toMatchObject({ summary: { notModified: true } });
      expect(await schedule.list()).toMatchObject([
        { failures: 0, result: { notModified: true, created: 2 }, nextAtMs: clock.nowMs + 30 * minuteMs },
      ]);
      pages.set("/a", { etag: '"2"', body: nativeLine("a", { price: 3 }) });
      clock.nowMs += 30 * minuteMs;
      expect(await pull()).toMatchObject({ summary: { updated: 1 } });
      expect(asked()).toEqual([
        ["/a", undefined],
        ["/a", '"1"'],
        ["/a", '"1"'],
      ]);
    });

    test("is asked for again after a minute when it fails, then after twice as long, at most its period", async () => {
      await schedule.configure([feedAt("/a", { periodMs: 7 * minuteMs })]);
      pages.set("/a", { status: 500 });
      for (const [failures, minutes] of [
        [1, 1],
        [2, 2],
        [3, 4],
        [4, 7],
        [5, 7],
      ] as const) {
        expect(await pull()).toMatchObject({ nextAtMs: clock.nowMs + minutes * minuteMs });
        expect(await schedule.list()).toMatchObject([
          { failures, error: "The server of the feed responded with status 500 instead of 200." },
        ]);
        clock.nowMs += minutes * minuteMs - 1;
        expect(await pull()).toBeUndefined();
        clock.nowMs += 1;
      }
      pages.set("/a", { body: nativeLine("a") });
      expect(await pull()).toMatchObject({ summary: { created: 1 } });
      expect(await schedule.list()).toMatchObject([{ failures: 0, nextAtMs: clock.nowMs + 7 * minuteMs }]);
    });

    test("is left to the process that has taken it over", async () => {
      schedule = createSqlFeedSchedule({ db: fixture.stores.database.db, clock, leaseMs: 400 });
      pages.set("/a", { isSilent: true });
      await schedule.configure([feedAt("/a")]);
      const pulling = pull();
      while (requests.length === 0) await setTimeout(5);
      await setTimeout(600);
      clock.nowMs += 400;
      const takenOver = await schedule.take();
      await expect(pulling).rejects.toThrow();
      expect(await schedule.list()).toEqual([takenOver]);
    });

    test("is stopped before its lease ends when it cannot be renewed", async () => {
      const kept = createSqlFeedSchedule({ db: fixture.stores.database.db, clock, leaseMs: 400 });
      schedule = { ...kept, renew: () => Promise.reject(new Error("cannot be reached")) };
      pages.set("/a", { isSilent: true });
      await schedule.configure([feedAt("/a")]);
      const takenAtMs = performance.now();
      const pulling = pull();
      await expect(pulling).rejects.toThrow();
      expect(performance.now() - takenAtMs).toBeGreaterThan(300);
      expect(await schedule.take()).toMatchObject({ url: `${origin}/a` });
    });

    test("that breaks off changes nothing and is tried again", async () => {
      pages.set("/a", { body: `${nativeLine("a")}{"_id":` });
      await schedule.configure([feedAt("/a")]);
      expect(await pull()).toMatchObject({ error: expect.objectContaining({ name: "FeedError" }) });
      expect(await fixture.products()).toEqual([]);
    });

    test("that lists too few products deletes none, reports why, and is tried again", async () => {
      pages.set("/a", { body: ["a", "b", "c"].map((key) => nativeLine(key)).join("") });
      await schedule.configure([feedAt("/a", { absent: "remove" })]);
      expect(await pull()).toMatchObject({ summary: { created: 3 } });
      pages.set("/a", { body: nativeLine("a") });
      clock.nowMs += 30 * minuteMs;
      expect(await pull()).toMatchObject({ nextAtMs: clock.nowMs + minuteMs });
      expect(await schedule.list()).toMatchObject([
        { failures: 1, error: expect.stringContaining("does not list 2 of the 3 products of catalog") },
      ]);
      expect(await fixture.products()).toHaveLength(3);
      await schedule.configure([feedAt("/a", { absent: "remove_without_limit" })]);
      expect(await pull()).toMatchObject({ summary: { removedAbsent: 2 } });
    });

    test("of prices and stock reports duplicates and rows of products that do not exist", async () => {
      pages.set("/a", { body: nativeLine("a") });
      pages.set("/stock", { body: "id,price,availability\na,20,in_stock\na,30,in_stock\nb,5,in_stock\n" });
      await schedule.configure([feedAt("/a")]);
      await pull();
      await schedule.configure([feedAt("/stock")]);
      await pull();
      expect(await schedule.list()).toMatchObject([
        { result: { rows: 3, duplicates: 1, updated: 1, notFound: 1, refused: 0 } },
      ]);
    });

    test("on a private network is refused, as any feed is", async () => {
      await open({ FETCH_ALLOW_NETWORKS: "" });
      pages.set("/a", { body: nativeLine("a") });
      await schedule.configure([feedAt("/a")]);
      await pull();
      expect(await schedule.list()).toMatchObject([
        { failures: 1, error: expect.stringContaining("FETCH_ALLOW_NETWORKS") },
      ]);
      expect(requests).toEqual([]);
    });

    test("that is interrupted by a stop is due again", async () => {
      pages.set("/a", { body: nativeLine("a") });
      await schedule.configure([feedAt("/a")]);
      await expect(pull(AbortSignal.abort())).rejects.toThrow();
      expect(await schedule.list()).toMatchObject([{ failures: 0 }]);
      expect(await pull()).toMatchObject({ summary: { created: 1 } });
    });
  });

  test("an inventory feed beside the feed of its products is not undone by it", async () => {
    const [whole, stock] = [feedAt("/whole"), feedAt("/stock", { periodMs: 5 * minuteMs })];
    pages.set("/whole", { etag: '"w1"', body: nativeLine("a", { price: 20 }) });
    pages.set("/stock", { etag: '"s1"', body: "id,price\na,15 USD\n" });
    await schedule.configure([whole]);
    await pull();
    await schedule.configure([whole, stock]);
    await pull();
    const price = async () => (await fixture.products())[0]?.priceMinor;
    expect(await price()).toBe(1500);

    clock.nowMs += 30 * minuteMs;
    while ((await pull()) !== undefined);
    expect(asked().slice(2).toSorted()).toEqual([
      ["/stock", '"s1"'],
      ["/whole", '"w1"'],
    ]);
    expect(await price()).toBe(1500);

    // A new version of the products has former prices again: then the unchanged inventory feed is read once more.
    pages.set("/whole", { etag: '"w2"', body: nativeLine("a", { price: 20, brand: "Noctis" }) });
    clock.nowMs += 30 * minuteMs;
    while ((await pull()) !== undefined);
    clock.nowMs += 5 * minuteMs;
    while ((await pull()) !== undefined);
    expect(await fixture.products()).toMatchObject([{ priceMinor: 1500, brand: "Noctis" }]);
  });

  describe("a feed whose server sends slowly", () => {
    const importDrip = (limits: Partial<PullFeedDeps>, dripBytes: number) => {
      pages.set("/drip", { dripBytes });
      const deps = { ...fixture.deps, ...fixture.stores.importParts(fixture.deps.importsFolder) };
      const observe = () => ({ onReject: () => {}, onDiscarded: () => {} });
      return pullDueFeed(
        { ...deps, clock, feedSchedule: schedule, ...limits },
        observe,
        new AbortController().signal,
      );
    };
    const feedError = expect.objectContaining({ name: "FeedError" });

    test("delays no other feed and no import, fails below the minimum rate, and is counted", async () => {
      await schedule.configure([feedAt("/drip")]);
      // Longer than the other imports take on a busy machine.
      const dripping = importDrip({ fetchPace: { periodMs: 4000, minBytesPerPeriod: 100_000 } }, 10);
      while (requests.length === 0) await setTimeout(5);
      pages.set("/a", { body: nativeLine("a") });
      await schedule.configure([feedAt("/drip"), feedAt("/a")]);
      clock.nowMs += 1;
      expect(await pull()).toMatchObject({ summary: { created: 1 } });
      expect(await fixture.run(fixture.file(nativeLine("b")))).toMatchObject({ created: 1 });
      const states = await schedule.list();
      expect(states.find(({ url }) => url.endsWith("/drip"))).toMatchObject({ failures: 0 });

      expect(await dripping).toMatchObject({ error: feedError });
      expect((await schedule.list()).find(({ url }) => url.endsWith("/drip"))).toMatchObject({
        failures: 1,
        error: expect.stringMatching(/sent only \d+ bytes in 4 s, and at least 100000 are needed/),
      });
      expect(readdirSync(fixture.deps.importsFolder).filter((name) => name.endsWith(".rows"))).toEqual([]);
    });

    test("is accepted at the minimum rate, and in its first period below it", async () => {
      await schedule.configure([feedAt("/drip")]);
      const limits = { fetchPace: { periodMs: 700, minBytesPerPeriod: 10 }, minFetchMs: 2000 };
      await schedule.configure([feedAt("/drip", { periodMs: 1 })]);
      const startedAtMs = performance.now();
      expect(await importDrip(limits, 10)).toMatchObject({ error: feedError });
      expect(performance.now() - startedAtMs).toBeGreaterThan(1950);
      // It was the time for the whole feed that ended it.
      expect(await schedule.list()).toMatchObject([
        { failures: 1, error: expect.stringContaining("had not sent all of it after 2 s") },
      ]);
    });

    test("has as much time as its period", async () => {
      await schedule.configure([feedAt("/drip", { periodMs: 500 })]);
      const limits = { fetchPace: { periodMs: 300, minBytesPerPeriod: 10 }, minFetchMs: 1 };
      expect(await importDrip(limits, 10)).toMatchObject({
        error: expect.objectContaining({ message: expect.stringContaining("after 0.5 s") }),
      });
    });
  });
});

describe("import url", () => {
  let fixture: ImportFixture;
  let server: Server;
  let respond: RequestListener;
  let url: string;
  const asked: (string | undefined)[] = [];

  beforeEach(async () => {
    asked.length = 0;
    fixture = await createImportFixture();
    server = createServer((request, response) => {
      asked.push(request.headers["if-none-match"] ?? request.headers["if-modified-since"]);
      respond(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/feed.jsonl`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await fixture.close();
  });

  describe("a feed from a URL", () => {
    test("is fetched, gzipped or not, with If-None-Match the next time", async () => {
      respond = (request, response) => {
        if (request.headers["if-none-match"] === '"v1"') return response.writeHead(304).end();
        return response.writeHead(200, { etag: '"v1"' }).end(gzipSync(nativeLine("a")));
      };
      expect(await fixture.run(url)).toMatchObject({ created: 1, notModified: false });
      expect(await fixture.run(url)).toMatchObject({ created: 0, rows: 0, notModified: true });
      expect(await fixture.run(url, { again: true })).toMatchObject({ unchanged: 1, notModified: false });
      expect(asked).toEqual([undefined, '"v1"', undefined]);
    });

    test("is fetched with If-Modified-Since if there is no ETag", async () => {
      const date = "Sat, 21 Nov 2026 12:00:00 GMT";
      respond = (_, response) => response.writeHead(200, { "last-modified": date }).end(nativeLine("a"));
      await fixture.run(url);
      await fixture.run(url);
      expect(asked).toEqual([undefined, date]);
    });

    test("is read again after another feed has overwritten its products", async () => {
      respond = (_, response) => response.writeHead(200, { etag: '"v1"' }).end(nativeLine("a"));
      await fixture.run(url);
      await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
      await fixture.run(url, { source: "catalog" });
      expect(asked).toEqual([undefined, undefined]);
      expect(await fixture.products()).toMatchObject([{ priceMinor: 1999 }]);
    });

    test("does not count as imported if it ended early", async () => {
      respond = (_, response) => response.writeHead(200, { etag: '"v1"' }).end('{"_id":');
      await expect(fixture.run(url)).rejects.toThrow("ends early");
      await expect(fixture.run(url)).rejects.toThrow("ends early");
      expect(asked).toEqual([undefined, undefined]);
    });

    test.each<[string, RequestListener, RegExp]>([
      ["responds with an error", (_, response) => response.writeHead(404).end("gone"), /status 404/],
      [
        "announces more than it sends",
        (_, response) => {
          response.writeHead(200, { "content-length": 10_000 });
          response.write(nativeLine("a"));
          globalThis.setTimeout(() => response.destroy(), 20);
        },
        /could not be fetched/,
      ],
      [
        "closes the connection in the middle of a chunked response",
        (_, response) => {
          response.write(nativeLine("a"));
          globalThis.setTimeout(() => response.destroy(), 20);
        },
        /could not be fetched/,
      ],
      [
        "announces less than it sends",
        (request) => {
          request.socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n${nativeLine("a")}`);
        },
        /ends early/,
      ],
      [
        "redirects to a private address",
        (_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
        /could not be fetched/,
      ],
      [
        "redirects in a loop",
        (request, response) => response.writeHead(302, { location: request.url }).end(),
        /could not be fetched/,
      ],
    ])("changes nothing when its server %s", async (_, listener, message) => {
      respond = listener;
      await expect(fixture.run(url, { absent: "out_of_stock" })).rejects.toThrow(message);
      expect(await fixture.products()).toEqual([]);
    });

    test.each<[string, RequestListener]>([
      ["never responds", () => {}],
      ["stops sending in the middle", (_, response) => response.write(nativeLine("a"))],
    ])("fails when its server %s, and does not block the next one", async (_, listener) => {
      fixture.deps.outboundHttp = createUndiciOutboundHttp({
        allowNetworks: ["127.0.0.0/8"],
        httpsOnly: false,
        idleTimeoutMs: 200,
      });
      respond = listener;
      await expect(fixture.run(url, { absent: "out_of_stock" })).rejects.toThrow(/did not respond in time/);
      expect(await fixture.products()).toEqual([]);
      expect(await fixture.run(fixture.file(nativeLine("b")))).toMatchObject({ created: 1 });
    });

    test("on a private address is refused unless its network is allowed", async () => {
      const strict = await createImportFixture({ FETCH_ALLOW_NETWORKS: "" });
      respond = (_, response) => response.end(nativeLine("a"));
      await expect(strict.run(url)).rejects.toThrow(/FETCH_ALLOW_NETWORKS/);
      expect(asked).toEqual([]);
      await strict.close();
    });
  });
});
