import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Profile } from "../../src/adapters/marketplace-source/http/profile.ts";
import { type LiveSource, liveSource, plainProfile } from "./live-source.ts";
import { type Respond, sendJson, startUpstream, type UpstreamServer } from "./upstream-server.ts";

let upstream: UpstreamServer;
const open: LiveSource[] = [];
beforeEach(async () => {
  upstream = await startUpstream(answerWith(3));
});
afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
  await upstream.close();
});

function source(over: Partial<Profile> = {}): LiveSource {
  const made = liveSource(plainProfile(upstream.baseUrl, over));
  open.push(made);
  return made;
}

function answerWith(count: number): Respond {
  return (_, response) => sendJson(response, 200, { total: count, items: products(count) });
}

const products = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at,
    name: `Mug ${at}`,
    price: 10 + at,
    url: `/items/${at}`,
  }));

/** The deadline is 3 s; a busy machine may add to it. The exact figure is the benchmark's matter. */
const soonMs = 5000;

/** The failure and how long it took. */
async function failure(search: Promise<unknown>) {
  const startedMs = performance.now();
  const error = await search.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - startedMs };
}

const hostile: Record<string, [Respond, { code: string; message: string }]> = {
  hangs: [() => {}, { code: "upstream_timeout", message: "did not answer" }],
  resets: [(_, response) => response.destroy(), { code: "upstream_failed", message: "cannot be reached" }],
  "breaks off": [
    (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"items": [');
      setTimeout(() => response.destroy(), 20);
    },
    { code: "upstream_failed", message: "cannot be reached" },
  ],
  "answers garbage": [
    (_, response) => response.end("<html>It works!</html>"),
    { code: "upstream_failed", message: "no JSON" },
  ],
  "answers JSON of another kind": [
    (_, response) => sendJson(response, 200, { items: "none" }),
    { code: "upstream_failed", message: "another form" },
  ],
  "answers null": [
    (_, response) => sendJson(response, 200, null),
    { code: "upstream_failed", message: "another form" },
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
  "sends a byte a second": [
    (_, response) => {
      response.write("{");
      const timer = setInterval(() => response.write(" "), 1000);
      response.on("close", () => clearInterval(timer));
    },
    { code: "upstream_timeout", message: "did not answer" },
  ],
};

async function sendMegabytes(response: Parameters<Respond>[1], count: number): Promise<void> {
  const megabyte = Buffer.alloc(1_000_000, " ");
  for (let sent = 0; sent < count && !response.destroyed; sent++) {
    if (!response.write(megabyte))
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

describe("a marketplace that", () => {
  it.each(Object.entries(hostile))("%s is named in time", async (_, [respond, expected]) => {
    upstream.respond = respond;
    const { error, ms } = await failure(source().find("mug"));
    expect(error).toMatchObject({ code: expected.code, message: expect.stringContaining(expected.message) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^marketplace-a /) });
    expect(ms).toBeLessThan(soonMs);
  });

  it.each(Object.entries(hostile))("%s has its last answer served as stale", async (_, [respond]) => {
    const live = source({ cache: { freshSeconds: 0, staleSeconds: 60 } });
    await live.find("mug");
    upstream.respond = respond;
    const page = await live.find("mug");
    expect(page).toMatchObject({ total: 3, freshness: { from: "stale" } });
    expect(page.freshness?.freshForSeconds).toBeLessThanOrEqual(0);
    expect(page.items).toHaveLength(3);
  });

  it("fails twice is asked a third time", async () => {
    upstream.respond = (seen, response) =>
      upstream.seen.length < 3 ? sendJson(response, 500, {}) : answerWith(3)(seen, response);
    expect((await source().find("mug")).items).toHaveLength(3);
    expect(upstream.seen).toHaveLength(3);
  });

  it("asks for a pause gets it: nothing is sent until it is over", async () => {
    upstream.respond = (_, response) => sendJson(response, 429, {}, { "retry-after": "30" });
    const live = source();
    const first = await failure(live.find("mug"));
    expect(first.error).toMatchObject({ code: "upstream_failed", headers: { "retry-after": "30" } });
    upstream.respond = answerWith(3);
    expect((await failure(live.find("cup"))).error).toMatchObject({
      message: expect.stringContaining("pause"),
    });
    expect(upstream.seen).toHaveLength(1);
  });

  it("asks for a short pause is asked again after it, within the same answer", async () => {
    upstream.respond = (seen, response) =>
      upstream.seen.length === 1
        ? sendJson(response, 429, {}, { "retry-after": "1" })
        : answerWith(3)(seen, response);
    expect((await source().find("mug")).items).toHaveLength(3);
    const [one, two] = upstream.seen;
    expect((two?.atMs ?? 0) - (one?.atMs ?? 0)).toBeGreaterThan(990);
  });

  it("redirects to another host is not followed there", async () => {
    const other = await startUpstream(answerWith(3), "127.0.0.2");
    upstream.respond = (_, response) => {
      response.writeHead(302, { location: `${other.baseUrl}/` }).end();
    };
    const { error } = await failure(source().find("mug"));
    await other.close();
    expect(error).toMatchObject({ message: expect.stringContaining("redirects to somewhere else") });
    expect(other.seen).toHaveLength(0);
  });

  it("keeps failing is left alone, probed after a while, and asked again once it has recovered", async () => {
    upstream.respond = (_, response) => sendJson(response, 500, {});
    const live = source();
    await failure(live.find("one"));
    await failure(live.find("two"));
    const asked = upstream.seen.length;
    const { error, ms } = await failure(live.find("three"));
    expect(error).toMatchObject({ code: "upstream_failed", message: expect.stringContaining("left alone") });
    expect(ms).toBeLessThan(100);
    expect(upstream.seen).toHaveLength(asked);
    upstream.respond = answerWith(3);
    // The rest is a second, give or take its jitter.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect((await live.find("four")).items).toHaveLength(3);
    const circuit = live.events.flatMap((event) => (event.kind === "circuit" ? [event.state] : []));
    expect(circuit).toEqual(["open", "half-open", "closed"]);
  });

  it("hangs holds up few requests, and every search ends in time", async () => {
    let atOnce = 0;
    let most = 0;
    upstream.respond = (_, response) => {
      most = Math.max(most, ++atOnce);
      response.on("close", () => atOnce--);
    };
    const live = source();
    const ends = await Promise.all(Array.from({ length: 300 }, (_, n) => failure(live.find(`mug ${n}`))));
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(soonMs);
    expect(ends.every(({ error }) => error !== undefined)).toBe(true);
    expect(most).toBeLessThanOrEqual(20);
    expect(ends.filter(({ error }) => String(error).includes("too many searches waiting"))).toHaveLength(180);
  });
});

describe("answers", () => {
  it("are shared by identical searches in flight, and kept for the next", async () => {
    upstream.respond = (seen, response) => setTimeout(() => answerWith(3)(seen, response), 50);
    const live = source();
    const pages = await Promise.all(Array.from({ length: 20 }, () => live.find("  big   mug ")));
    pages.push(await live.find("big mug"));
    expect(upstream.seen).toHaveLength(1);
    const from = pages.map(({ freshness }) => freshness?.from);
    expect([from[0], from[1], from[20]]).toEqual(["miss", "shared", "cache"]);
  });

  it("go on for the others when one of them leaves", async () => {
    upstream.respond = (seen, response) => setTimeout(() => answerWith(3)(seen, response), 50);
    const live = source();
    const leaving = new AbortController();
    const left = failure(live.search({ text: "mug", offset: 0, limit: 20 }, leaving.signal));
    const stayed = live.find("mug");
    leaving.abort(new Error("gone"));
    expect((await left).error).toMatchObject({ message: "gone" });
    expect((await stayed).items).toHaveLength(3);
  });

  it("are no longer served once they are too old, even as stale", async () => {
    let nowMs = Date.now();
    const clock = { now: () => nowMs };
    const profile = plainProfile(upstream.baseUrl, { cache: { freshSeconds: 60, staleSeconds: 600 } });
    const live = liveSource(profile, { clock });
    open.push(live);
    await live.find("mug");
    upstream.respond = (_, response) => sendJson(response, 400, {});
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
    upstream.respond = (_, response) =>
      response.writeHead(200, { "content-type": type }).end(Buffer.from(items, "latin1"));
    expect((await source().find("mug")).items[0]?.name).toBe("Kaffeemühle");
  });

  it("have one of each item code", async () => {
    upstream.respond = (_, response) =>
      sendJson(response, 200, { total: 6, items: [...products(3), ...products(3)] });
    expect((await source().find("mug")).items.map(({ key }) => key)).toEqual(["0", "1", "2"]);
  });
});

describe("a list that moves while it is read", () => {
  const page = (list: object[], url: URL) => {
    const from = Number(url.searchParams.get("from"));
    return { total: list.length, items: list.slice(from, from + Number(url.searchParams.get("size"))) };
  };
  const keys = (count: number) => Array.from({ length: count }, (_, at) => String(at));

  it("repeats nothing when products are put before it", async () => {
    const list = products(300);
    upstream.respond = ({ url }, response) => {
      const isFirst = url.searchParams.get("from") === "0";
      sendJson(
        response,
        200,
        page(isFirst ? list : [{ id: "new", name: "New", price: 1, url: "/n" }, ...list], url),
      );
    };
    const found = (await source().find("mug", 0, 250)).items.map(({ key }) => key);
    expect(found).toEqual(keys(found.length));
    expect(found.length).toBeGreaterThanOrEqual(248);
  });

  it("loses nothing when products are taken from it", async () => {
    const list = products(300);
    upstream.respond = ({ url }, response) =>
      sendJson(response, 200, page(url.searchParams.get("from") === "0" ? list : list.slice(3), url));
    const found = (await source().find("mug", 0, 250)).items.map(({ key }) => key);
    expect(found).toEqual(keys(250));
  });

  it("is read once more when it moved too far, and cut where products may be missing", async () => {
    const list = products(300);
    upstream.respond = ({ url }, response) =>
      sendJson(response, 200, page(url.searchParams.get("from") === "0" ? list : list.slice(50), url));
    const { items, hasMore } = await source().find("mug", 0, 250);
    expect(items.map(({ key }) => key)).toEqual(keys(100));
    expect(hasMore).toBe(true);
    expect(upstream.seen).toHaveLength(6);
  });
});

describe("paging by cursor", () => {
  const cursorProfile: Partial<Profile> = {
    pagination: {
      style: "cursor",
      cursorParameter: "after",
      limitParameter: "size",
      maxLimit: 50,
      next: "next",
    },
    answer: { items: "items" },
  };
  const byCursor: Respond = ({ url }, response) => {
    const from = Number(url.searchParams.get("after") ?? "c0".slice(1));
    const items = products(730).slice(from, from + 50);
    sendJson(response, 200, { items, ...(from + 50 < 730 && { next: String(from + 50) }) });
  };

  it("walks, remembers where it was, and knows the end", async () => {
    upstream.respond = byCursor;
    const live = source(cursorProfile);
    const first = await live.find("mug", 0, 250);
    expect(first.items.map(({ key }) => key)).toEqual(products(250).map(({ id }) => String(id)));
    expect(first).toMatchObject({ hasMore: true });
    expect(upstream.seen).toHaveLength(5);
    expect((await live.find("mug", 250, 250)).items[0]?.key).toBe("250");
    expect(upstream.seen).toHaveLength(10);
    const last = await live.find("mug", 500, 250);
    expect(last).toMatchObject({ hasMore: false, total: 730 });
    expect(last.items).toHaveLength(230);
    expect((await live.find("mug", 30, 40)).items.map(({ key }) => Number(key))).toEqual(
      Array.from({ length: 40 }, (_, at) => 30 + at),
    );
  });

  it("does not walk endlessly to a page far away", async () => {
    upstream.respond = byCursor;
    const { error } = await failure(source(cursorProfile).find("mug", 9000, 50));
    expect(error).toMatchObject({ message: expect.stringContaining("paged through in order") });
    expect(upstream.seen).toHaveLength(0);
  });
});

describe("what clients send", () => {
  it.each(["..", "../admin", "a/../b", "?x=1&y=2", "#frag", "\ud800", "%2e%2e", "{words}"])(
    "stays a search: %j",
    async (text) => {
      const inPath = source({ request: { path: "/search/{query}/items" } });
      await failure(inPath.find(text));
      for (const { url } of upstream.seen) {
        expect(url.pathname).toMatch(/^\/search\/[^/]+\/items$/);
        expect(url.searchParams.has("x")).toBe(false);
      }
      const inQuery = source();
      await inQuery.find(text);
      expect(upstream.seen.at(-1)?.url.searchParams.get("q")).toBe(text.toWellFormed());
    },
  );
});
