import { setImmediate } from "node:timers/promises";
import type { SuggestionQuery } from "@product-search/core/ports/text-search.ts";
import { describe, expect, test } from "vitest";
import { createPopularQueries } from "../insights/popularity.ts";
import { searchBrands, suggest } from "./suggest.ts";

const signal = new AbortController().signal;

/** Suggestions for any text, beside counts of what was searched for. */
function setUp(queries: readonly string[], counts: Record<string, number>) {
  const completed: string[] = [];
  const errors: unknown[] = [];
  let nowMs = 0;
  let read = async () =>
    Object.entries(counts).map(([query, searches]) => ({
      ...{ query, searches, noResults: 0, relaxed: 0, results: 1 },
      ...{ clicks: 0, positioned: 0, positions: 0 },
    }));
  const deps = {
    publicUrl: "http://service.test",
    currency: "USD",
    catalogStore: { findWithHistory: async () => [] },
    textSearch: {
      async suggest({ text }: SuggestionQuery) {
        completed.push(text);
        return { queries: [...queries], brands: [], categories: [], rowIds: [] };
      },
    },
    popularQueries: createPopularQueries({
      insightStore: { rank: () => read() },
      clock: { now: () => nowMs },
      onError: (error) => errors.push(error),
    }),
  };
  return {
    completed,
    errors,
    ask: async (q: string) => {
      const response = await suggest(deps as never, { q }, signal);
      await setImmediate();
      return response.queries;
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    fail: () => {
      read = () => Promise.reject(new Error("down"));
    },
  };
}

test("with and without accents, a query is the same", async () => {
  const { ask } = setUp(["tasche", "täschchen", "tasse"], { tasche: 2, taschchen: 2, täschchen: 1 });
  await ask("tas");
  expect(await ask("tas")).toEqual(["täschchen", "tasche", "tasse"]);
  expect(await ask("täs")).toEqual(["täschchen", "tasche", "tasse"]);
});

test("among queries that begin with the text, the most frequent comes first; others keep their places", async () => {
  const { ask } = setUp(["lamp", "desk lamp", "lamp shade", "lamp oil"], {
    "lamp oil": 9,
    "lamp shade": 4,
    "desk lamp": 50,
  });
  expect(await ask("Lam")).toEqual(["lamp", "desk lamp", "lamp shade", "lamp oil"]);
  expect(await ask("Lam")).toEqual(["lamp oil", "desk lamp", "lamp shade", "lamp"]);
});

test("a popular query comes first although seven others would be suggested before it", async () => {
  const queries = Array.from({ length: 12 }, (_, n) => `lamp ${n}`);
  const { ask, completed } = setUp(queries, { "lamp 11": 1 });
  await ask("lamp");
  const shown = await ask("lamp");
  expect(shown).toHaveLength(8);
  expect(shown.slice(0, 2)).toEqual(["lamp 11", "lamp 0"]);
  // Its products are read, not those of the query that was first.
  expect(completed.slice(-2)).toEqual(["lamp", "lamp 11"]);
});

test("a failure is reported, keeps the former counts, and is not repeated with each request", async () => {
  const { ask, errors, wait, fail } = setUp(["lamp", "lamp shade"], { "lamp shade": 2 });
  await ask("lamp");
  fail();
  wait(3_600_000);
  for (let request = 0; request < 3; request++) expect(await ask("lamp")).toEqual(["lamp shade", "lamp"]);
  expect(errors).toHaveLength(1);
});

const publicUrl = "https://shop.example/search";
const finding = (names: string[]) => {
  const asked: [string, number][] = [];
  const findBrands = async (text: string, limit: number) => {
    asked.push([text, limit]);
    return names;
  };
  return { deps: { textSearch: { findBrands }, publicUrl }, asked };
};

describe("searchBrands", () => {
  test("links each brand to its page, best match first", async () => {
    const { deps, asked } = finding(["Nordlys", "NORDLYS Kids & Baby", "Ærø/Ø?#"]);
    expect(await searchBrands(deps, "nordlys")).toEqual([
      { name: "Nordlys", serviceBrandPageUrl: `${publicUrl}/brands/Nordlys` },
      { name: "NORDLYS Kids & Baby", serviceBrandPageUrl: `${publicUrl}/brands/NORDLYS%20Kids%20%26%20Baby` },
      { name: "Ærø/Ø?#", serviceBrandPageUrl: `${publicUrl}/brands/%C3%86r%C3%B8%2F%C3%98%3F%23` },
    ]);
    expect(asked).toEqual([["nordlys", 20]]);
  });

  test("links a name with half a surrogate pair without an error", async () => {
    const [brand] = await searchBrands(finding(["a\ud800"]).deps, "a");
    expect(brand?.serviceBrandPageUrl).toBe(`${publicUrl}/brands/a%EF%BF%BD`);
  });
});
