import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import queryString from "./query-string.ts";

interface Library {
  parse(text: string, options: { arrayLimit: number }): unknown;
  stringify(state: unknown): string;
}

/** That which InstantSearch has, and which the shop page is built without. */
const library: Library = createRequire(createRequire(import.meta.url).resolve("instantsearch.js"))("qs");
const options = { arrayLimit: 99 };

/** What InstantSearch's router writes and reads: the state of the page by index and widget. */
const states = [
  { products: { query: "desk lamp", page: "2" } },
  { products: { query: "5 % off + 1&2=3 #new ÄÖ🙂 [x]" } },
  { products: { sortBy: "products/price/asc", range: { price: "10:99.5" }, toggle: { onSale: "true" } } },
  {
    products: { refinementList: { brand: ["Oak & Co", "Ilmari, Sons"], "attributes.color": ["red"] } },
    other: { hierarchicalMenu: { "categoryPaths.lvl0": ["Home", "Lamps", "Desk lamps"] } },
  },
  {
    products: {
      refinementList: { size: Array.from({ length: 30 }, (_, place) => `${place}`) },
    },
  },
];

describe("the query string", () => {
  it.each(states)("is written and read as by InstantSearch's own library: %j", (state) => {
    const text = queryString.stringify(state);
    expect(text).toBe(library.stringify(state));
    expect(queryString.parse(text)).toEqual(state);
    expect(library.parse(text, options)).toEqual(state);
  });

  it.each(["a[b][1]=y&a[b][0]=x+1", "a%5Bb%5D=x%20y&c=%C3%A4", "a=&b[c]=", "q=50%", "", "a[b]=2&c[d][e]=3"])(
    "is read so however it was written: %s",
    (text) => expect(queryString.parse(text)).toEqual(library.parse(text, options)),
  );

  it("has nothing of what is undefined or empty", () => {
    const state = { a: undefined, b: {}, c: [], d: { e: undefined } };
    expect(queryString.stringify(state)).toBe("");
    expect(library.stringify(state)).toBe("");
  });

  it.each([
    ["__proto__[polluted]=1"],
    ["a[__proto__][polluted]=1"],
    ["constructor[prototype][polluted]=1"],
    ["a[constructor][prototype][polluted]=1"],
    ["a[toString]=1"],
  ])("changes no prototype: %s", (text) => {
    const state = queryString.parse(text);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(state).toEqual({});
  });

  it("leaves out what is nested deeper than any state is", () => {
    const deep = `a${"[b]".repeat(10_000)}=1`;
    expect(queryString.parse(`${deep}&q=x`)).toEqual({ q: "x" });
  });

  it.each([
    ["%", { "%": "" }],
    ["q=50%", { q: "50%" }],
    ["q=%zz%E4", { q: "%zz\uFFFD" }],
    ["q", { q: "" }],
    ["", {}],
    ["a=1&a[b]=2", { a: { b: "2" } }],
    ["a[b]=2&a=1", { a: "1" }],
    ["a[b=1", { a: { b: "1" } }],
  ])("never fails: %s", (text, state) => {
    expect(queryString.parse(text)).toEqual(state);
  });
});
