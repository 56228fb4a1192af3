import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";

const sampled = 3000;
const maxQuestionLength = 500;
const maxListLength = 4000;

/** Requests that cost as much as their length allows, each different, so that no answer can be shared. */
export interface HostileRequests {
  /** The words of the catalog, joined by commas: each could be a thing of its own. */
  question(number: number): string;
  /** The path and query of a catalog search with long lists and all facets. */
  lists(number: number): string;
}

/** They are built from the words and names of the sample catalog. */
export function hostileRequests(products: number, words = 60): HostileRequests {
  const settings = { currency: "USD", nowMs: Date.UTC(2026, 10, 1) };
  const inputs = Array.from({ length: Math.min(products, sampled) }, (_, at) =>
    sampleProductInput(at, settings),
  );
  const names = inputs.flatMap(
    ({ name, category }) => `${name} ${category}`.toLowerCase().match(/\p{L}{3,8}/gu) ?? [],
  );
  const known = distinct(names);
  const brands = distinct(inputs.flatMap(({ brand }) => brand ?? []));
  const categories = distinct(inputs.flatMap(({ category }) => category ?? []));
  const stores = distinct(inputs.map(({ storeName }) => storeName));
  return {
    question(number) {
      const random = randomNumbers(number + 1);
      const chosen: string[] = [];
      while (chosen.length < words) {
        const word = known[random() % known.length] ?? "";
        if ([...chosen, word].join(", ").length > maxQuestionLength) break;
        chosen.push(word);
      }
      return chosen.join(", ");
    },
    lists(number) {
      const filters = Object.entries({ brands, categories, stores }).map(
        ([name, values], at) => `${name}=${longList(values, number * 3 + at)}`,
      );
      return `/search/catalog?${filters.join("&")}&facets=brands,categories,stores,price,rating`;
    },
  };
}

/** Names of the catalog in another order each time, then made-up ones, as long as the list may be. */
function longList(values: readonly string[], seed: number): string {
  const random = randomNumbers(seed + 1);
  const first = random() % values.length;
  const shifted = [...values.slice(first), ...values.slice(0, first)];
  let list = "";
  for (let at = 0; ; at++) {
    const name = shifted[at] ?? `Maker ${random() % 100_000}`;
    const next = `${list}${list === "" ? "" : ","}${encodeURIComponent(name.replaceAll(",", "\\,"))}`;
    if (next.length > maxListLength) return list;
    list = next;
  }
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** A linear congruential generator: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
