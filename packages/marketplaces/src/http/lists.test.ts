import { describe, expect, it } from "vitest";
import { failure, products, useUpstream } from "../../testing/fixture.ts";
import { type Respond, sendJson } from "../../testing/upstream-server.ts";
import type { Profile } from "./profile/profile.ts";

const fixture = useUpstream();
describe("a list that changes while it is read", () => {
  const page = (list: object[], url: URL) => {
    const from = Number(url.searchParams.get("from"));
    return { total: list.length, items: list.slice(from, from + Number(url.searchParams.get("size"))) };
  };
  const keys = (count: number) => Array.from({ length: count }, (_, at) => String(at));

  it("repeats nothing when products are added at the start", async () => {
    const list = products(300);
    fixture.upstream.respond = ({ url }, response) => {
      const isFirst = url.searchParams.get("from") === "0";
      sendJson(
        response,
        200,
        page(isFirst ? list : [{ id: "new", name: "New", price: 1, url: "/n" }, ...list], url),
      );
    };
    const found = (await fixture.source().find("mug", 0, 250)).items.map(({ key }) => key);
    expect(found).toEqual(keys(found.length));
    expect(found.length).toBeGreaterThanOrEqual(248);
  });

  it("loses nothing when products are removed", async () => {
    const list = products(300);
    fixture.upstream.respond = ({ url }, response) =>
      sendJson(response, 200, page(url.searchParams.get("from") === "0" ? list : list.slice(3), url));
    const found = (await fixture.source().find("mug", 0, 250)).items.map(({ key }) => key);
    expect(found).toEqual(keys(250));
  });

  it("is read again if it changed too much, and cut where products may be missing", async () => {
    const list = products(300);
    fixture.upstream.respond = ({ url }, response) =>
      sendJson(response, 200, page(url.searchParams.get("from") === "0" ? list : list.slice(50), url));
    const { items, hasMore } = await fixture.source().find("mug", 0, 250);
    expect(items.map(({ key }) => key)).toEqual(keys(100));
    expect(hasMore).toBe(true);
    expect(fixture.upstream.seen).toHaveLength(6);
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

  it("follows cursors, remembers its position, and detects the end", async () => {
    fixture.upstream.respond = byCursor;
    const live = fixture.source(cursorProfile);
    const first = await live.find("mug", 0, 250);
    expect(first.items.map(({ key }) => key)).toEqual(products(250).map(({ id }) => String(id)));
    expect(first).toMatchObject({ hasMore: true });
    expect(fixture.upstream.seen).toHaveLength(5);
    expect((await live.find("mug", 250, 250)).items[0]?.key).toBe("250");
    expect(fixture.upstream.seen).toHaveLength(10);
    const last = await live.find("mug", 500, 250);
    expect(last).toMatchObject({ hasMore: false, total: 730 });
    expect(last.items).toHaveLength(230);
    expect((await live.find("mug", 30, 40)).items.map(({ key }) => Number(key))).toEqual(
      Array.from({ length: 40 }, (_, at) => 30 + at),
    );
  });

  it("does not read endlessly to reach a distant page", async () => {
    fixture.upstream.respond = byCursor;
    const { error } = await failure(fixture.source(cursorProfile).find("mug", 9000, 50));
    expect(error).toMatchObject({ message: expect.stringContaining("paged through in order") });
    expect(fixture.upstream.seen).toHaveLength(0);
  });
});
