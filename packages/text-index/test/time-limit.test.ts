import { afterEach, expect, it, vi } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  OutOfTimeError,
  openIndex,
  type RuleBoost,
  type SearchQuery,
  type SearchRules,
  type TextIndex,
  withinTime,
} from "../src/index.ts";
import { buildDocument } from "./edited-index.ts";

const list = <Value>(length: number, make: (at: number) => Value) =>
  Array.from({ length }, (_, at) => make(at));

const upserts = list(30_000, (id) =>
  buildDocument(id, {
    fields: { name: `lamp ${id % 89} ${id % 7 === 0 ? "shade" : "bulb"}`, brand: `Brand ${id % 100}` },
    categoryPaths: [[`Room ${id % 7}`, `Shelf ${id % 200}`]],
    attributes: list(8, (at): [string, string] => [`size ${at}`, `${(id * (at + 3)) % 500} wide`]),
    group: `group ${id % 20_000}`,
    priceMinor: 100 + ((id * 7919) % 90_000),
  }),
);
const snapshot = createIndexWriter(emptySnapshot).apply({ upserts, deletes: [] }, 1);

const brands = list(90, (at) => `Brand ${at}`);
const categories = list(150, (at) => `Shelf ${at}`);
const sizes = (shift: number) =>
  list(8, (at) => ({ name: `size ${at}`, values: list(300, (value) => `${value + shift} wide`) }));
const boosts = list(100, (at) => ({
  filters: { brands: [`Brand ${at}`, `Brand ${(at * 7) % 100}`] },
  factor: 1 + at / 100,
}));
const attributes = { frequent: 8, names: [] };

/** None finds in a cache what it has left there the time before. */
const longSearches: Readonly<Record<string, (time: number) => Partial<SearchQuery>>> = {
  "a hundred boosts": () => ({ text: "lamp", rules: { boosts } }),
  "a hundred boosts of what else rules change": (time) => ({
    text: "lamp",
    filters: { minPriceMinor: 100 + time },
    rules: { boosts, hide: [time] },
  }),
  "long lists of filters": (time) => ({ filters: { brands, categories, attributes: sizes(time) } }),
  "facets without their own filters": (time) => ({
    filters: { brands, attributes: sizes(time), maxPriceMinor: 80_000 },
    facets: { names: ["brands", "categories", "price"], maxValues: 20, attributes, ignoreOwnFilter: true },
  }),
  "facets of all attributes": (time) => ({
    filters: { minPriceMinor: 100 + time },
    facets: { names: [], maxValues: 20, attributes },
  }),
  "many kinds": () => ({
    text: "lamp",
    filters: { kinds: categories.slice(0, 40).map((category) => ({ category, words: "lamp" })) },
  }),
  groups: () => ({ text: "lamp", grouped: { maxVariants: 0 } }),
  "groups by price": () => ({ sort: "price", grouped: { maxVariants: 0 } }),
  "words that exclude": () => ({ text: "lamp", filters: { withoutWords: list(40, (at) => `bulb ${at}`) } }),
  "some of many words": () => ({
    text: `shade bulb lamp ${list(9, (at) => `${at}`).join(" ")}`,
    filters: { brands: ["Brand 1"] },
    relatedCount: 20,
  }),
};

const queryAt = (name: string, time: number): SearchQuery => ({
  text: "",
  offset: 0,
  limit: 20,
  ...longSearches[name]?.(time),
});

const clock = performance.now.bind(performance);
afterEach(() => {
  vi.restoreAllMocks();
});

/** When the search looked at the time. */
function looksOf(index: TextIndex, query: SearchQuery): number[] {
  const looks: number[] = [];
  const spy = vi.spyOn(performance, "now").mockImplementation(() => looks[looks.push(clock()) - 1] ?? 0);
  withinTime(Number.POSITIVE_INFINITY, () => index.search(query));
  spy.mockRestore();
  return [...looks, clock()];
}

it.each(Object.keys(longSearches))("no search goes on for long without looking at the time: %s", (name) => {
  const index = openIndex(snapshot);
  let leastShare = 1;
  // On a busy machine, some pieces have a pause in them.
  for (let time = 0; time < 60 && leastShare >= 1 / 4; time++) {
    const looks = looksOf(index, queryAt(name, time));
    const pieces = looks.slice(1).map((at, i) => at - (looks[i] ?? 0));
    leastShare = Math.min(leastShare, Math.max(...pieces) / ((looks.at(-1) ?? 0) - (looks[0] ?? 0)));
  }
  expect(leastShare).toBeLessThan(1 / 4);
});

it("boosts of products that a search does not find cost it little", () => {
  const index = openIndex(snapshot);
  const boostsOf = (filters: RuleBoost["filters"], first: number, length = 50) =>
    list(length, (at) => ({ filters, rowIds: [first + 7 * at], factor: 2 }));
  const msOf = (boosts: SearchRules["boosts"]) => {
    const startMs = clock();
    index.search({ text: "shade", offset: 0, limit: 20, rules: { boosts } });
    return clock() - startMs;
  };
  const found = boostsOf({}, 0, 100);
  const others = [...boostsOf({}, 1), ...boostsOf({ brands: ["Absent"] }, 0)];
  // By turns, since other work on the machine slows all down.
  const times = list(100, () => [msOf([]), msOf(found), msOf(others)] as const);
  const least = (turn: 0 | 1 | 2) => Math.min(...times.map((all) => all[turn]));
  expect(least(2) - least(0)).toBeLessThan((least(1) - least(0)) / 4);
});

it.each(Object.keys(longSearches))("what is given up leaves nothing behind: %s", (name) => {
  const index = openIndex(snapshot);
  const looks = looksOf(index, queryAt(name, 0)).length;
  for (let time = 1; time < 20; time += 3) {
    let left = Math.floor((looks * time) / 20);
    vi.spyOn(performance, "now").mockImplementation(() => (left-- > 0 ? 0 : Number.POSITIVE_INFINITY));
    expect(() => withinTime(0, () => index.search(queryAt(name, time)))).toThrow(OutOfTimeError);
    vi.restoreAllMocks();
    const last = queryAt(name, 20);
    expect(index.search(last)).toEqual(openIndex(snapshot).search(last));
  }
});
