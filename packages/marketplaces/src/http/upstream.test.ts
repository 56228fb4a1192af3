import { describe, expect, it } from "vitest";
import { failure, products, respondWith, useUpstream } from "../../testing/fixture.ts";
import { sendJson } from "../../testing/upstream-server.ts";
import { retryAfterSeconds } from "./upstream.ts";

const fixture = useUpstream();
describe("responses", () => {
  it("are shared by concurrent identical searches, and cached for the next", async () => {
    fixture.upstream.respond = (seen, response) => setTimeout(() => respondWith(3)(seen, response), 50);
    const live = fixture.source();
    const pages = await Promise.all(Array.from({ length: 20 }, () => live.find("  big   mug ")));
    pages.push(await live.find("big mug"));
    expect(fixture.upstream.seen).toHaveLength(1);
    const from = pages.map(({ freshness }) => freshness?.from);
    expect([from[0], from[1], from[20]]).toEqual(["miss", "shared", "cache"]);
  });

  it("continue for the other callers when one aborts", async () => {
    fixture.upstream.respond = (seen, response) => setTimeout(() => respondWith(3)(seen, response), 50);
    const live = fixture.source();
    const leaving = new AbortController();
    const left = failure(live.search({ text: "mug", offset: 0, limit: 20 }, leaving.signal));
    const stayed = live.find("mug");
    leaving.abort(new Error("gone"));
    expect((await left).error).toMatchObject({ message: "gone" });
    expect((await stayed).items).toHaveLength(3);
  });

  it("are not served when they are too old, even as stale", async () => {
    let nowMs = Date.now();
    const clock = { now: () => nowMs };
    const live = fixture.source({ cache: { freshSeconds: 60, staleSeconds: 600 } }, { clock });
    await live.find("mug");
    fixture.upstream.respond = (_, response) => sendJson(response, 400, {});
    nowMs += 59_000;
    expect((await live.find("mug")).freshness).toEqual({ from: "cache", ageSeconds: 59, freshForSeconds: 1 });
    nowMs += 600_000;
    expect((await live.find("mug")).freshness).toEqual({
      from: "stale",
      ageSeconds: 659,
      freshForSeconds: -599,
    });
    nowMs += 2000;
    expect((await failure(live.find("mug"))).error).toMatchObject({ code: "upstream_failed" });
  });

  it.each([
    ["undeclared", "application/json"],
    ["declared", "application/json; charset=ISO-8859-1"],
  ])("in another alphabet are read, %s", async (_, type) => {
    const items = JSON.stringify({ total: 1, items: [{ id: 1, name: "Kaffeemühle", price: 1, url: "/1" }] });
    fixture.upstream.respond = (_, response) =>
      response.writeHead(200, { "content-type": type }).end(Buffer.from(items, "latin1"));
    expect((await fixture.source().find("mug")).items[0]?.name).toBe("Kaffeemühle");
  });

  it("contain each item code once", async () => {
    fixture.upstream.respond = (_, response) =>
      sendJson(response, 200, { total: 6, items: [...products(3), ...products(3)] });
    expect((await fixture.source().find("mug")).items.map(({ key }) => key)).toEqual(["0", "1", "2"]);
  });
});

describe("what clients send", () => {
  it.each(["..", "../admin", "a/../b", "?x=1&y=2", "#frag", "\ud800", "%2e%2e", "{words}"])(
    "is only used as search text: %j",
    async (text) => {
      const inPath = fixture.source({ request: { path: "/search/{query}/items" } });
      await failure(inPath.find(text));
      for (const { url } of fixture.upstream.seen) {
        expect(url.pathname).toMatch(/^\/search\/[^/]+\/items$/);
        expect(url.searchParams.has("x")).toBe(false);
      }
      const inQuery = fixture.source();
      await inQuery.find(text);
      expect(fixture.upstream.seen.at(-1)?.url.searchParams.get("q")).toBe(text.toWellFormed());
    },
  );
});

const nowMs = Date.parse("2026-05-01T12:00:00Z");

it.each([
  ["0", 0],
  [" 120 ", 120],
  ["Fri, 01 May 2026 12:01:00 GMT", 60],
  ["Fri, 01 May 2026 11:00:00 GMT", 0],
  ["9999999999", 86_400],
  ["9".repeat(400), 86_400],
  ["Fri, 01 May 2099 12:00:00 GMT", 86_400],
  ["-5", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("reads %j as %j seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, nowMs)).toBe(seconds);
});
