import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { failure, products, useUpstream } from "../../testing/fixture.ts";
import { type Respond, sendJson } from "../../testing/upstream-server.ts";
import type { OffsetPagination, PagePagination, Profile } from "./profile/profile.ts";
import { type ListPart, mergePages, planWindows } from "./read-page.ts";

const part = (start: number, size: number, codes: readonly (number | undefined)[]): ListPart => ({
  start,
  size,
  items: codes.map((code) => ({ code: code === undefined ? undefined : String(code), notes: [] })),
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const codesOf = (parts: ListPart[], overlap = 2) => {
  const { items, isTorn } = mergePages(parts, overlap);
  return { codes: items.map(({ code }) => Number(code)), isTorn };
};

describe("mergePages", () => {
  test("joins overlapping parts with each product once", () => {
    const joined = codesOf([
      part(0, 10, range(0, 10)),
      part(8, 10, range(8, 18)),
      part(16, 10, range(16, 20)),
    ]);
    expect(joined).toEqual({ codes: range(0, 20), isTorn: false });
  });

  test("neither repeats nor loses a product when the list changes between two requests", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 7 }), (shift) => {
        // After the first part was read, `shift` products were added at the start of the list (or one was removed).
        const second = range(8 - shift, 18 - shift);
        const { codes, isTorn } = codesOf([part(0, 10, range(0, 10)), part(8, 10, second)]);
        expect(isTorn).toBe(false);
        expect(codes).toEqual(range(0, Math.max(10, 18 - shift)));
      }),
    );
  });

  test("ends before the gap if the list changed so much that products may be missing", () => {
    const joined = codesOf([part(0, 10, range(0, 10)), part(8, 10, range(12, 22))]);
    expect(joined).toEqual({ codes: range(0, 10), isTorn: true });
  });

  test("treats a shorter list as the end", () => {
    expect(codesOf([part(0, 10, range(0, 10)), part(8, 10, [])])).toEqual({
      codes: range(0, 10),
      isTorn: false,
    });
    expect(codesOf([part(0, 10, range(0, 5)), part(8, 10, range(30, 33))]).isTorn).toBe(false);
  });

  test("does not treat two products without a code as the same", () => {
    const { items } = mergePages([part(0, 3, [1, 2, undefined]), part(1, 3, [2, undefined, 4])], 2);
    expect(items.map(({ code }) => code)).toEqual(["1", "2", undefined, undefined, "4"]);
  });
});

const size = { limitParameter: "size" };
const styles = fc.record({
  maxLimit: fc.integer({ min: 10, max: 1000 }),
  style: fc.constantFrom("page", "offset", "aligned"),
  firstPage: fc.constantFrom<(0 | 1)[]>(0, 1),
});

function paginationOf({ maxLimit, style, firstPage }: { maxLimit: number; style: string; firstPage: 0 | 1 }) {
  return style === "page"
    ? ({ ...size, style: "page", pageParameter: "page", maxLimit, firstPage } satisfies PagePagination)
    : ({
        ...size,
        style: "offset",
        offsetParameter: "from",
        maxLimit,
        aligned: style === "aligned",
      } satisfies OffsetPagination);
}

/** The range that the parameters select, as the marketplace reads them. */
function rangeOf(parameters: Record<string, string>, firstPage: number): { start: number; end: number } {
  const limit = Number(parameters.size);
  const start =
    parameters.page === undefined ? Number(parameters.from) : (Number(parameters.page) - firstPage) * limit;
  return { start, end: start + limit };
}

describe("planWindows", () => {
  test("covers exactly the wanted range with overlapping requests within the limits of the marketplace", () => {
    fc.assert(
      fc.property(
        styles,
        fc.integer({ min: 1, max: 250 }),
        fc.integer({ min: 0, max: 9999 }),
        (style, limit, anyOffset) => {
          const offset = Math.min(anyOffset, 10_000 - limit);
          const windows = planWindows(paginationOf(style), offset, limit);
          expect(windows[0]?.start).toBeLessThanOrEqual(offset);
          const last = windows.at(-1);
          expect((last?.start ?? 0) + (last?.size ?? 0)).toBeGreaterThanOrEqual(offset + limit);
          for (const [at, window] of windows.entries()) {
            expect(rangeOf(window.parameters, style.firstPage)).toEqual({
              start: window.start,
              end: window.start + window.size,
            });
            expect(window.size).toBeLessThanOrEqual(style.maxLimit);
            if (style.style !== "offset") expect(window.start % window.size).toBe(0);
            const previous = windows[at - 1];
            if (previous) expect(window.start).toBeLessThanOrEqual(previous.start + previous.size);
            if (previous && style.maxLimit >= 50)
              expect(window.start).toBeLessThan(previous.start + previous.size);
          }
          if (style.maxLimit >= 50)
            expect(windows.length).toBeLessThanOrEqual(Math.ceil(limit / style.maxLimit) + 2);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is one request if one is enough", () => {
    const page = paginationOf({ style: "page", maxLimit: 100, firstPage: 1 });
    expect(planWindows(page, 40, 20)).toEqual([
      { start: 40, size: 20, parameters: { page: "3", size: "20" } },
    ]);
  });
});

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
