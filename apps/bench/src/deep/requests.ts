import { availabilities } from "@product-search/core/domain/availability.ts";
import type { Constraints } from "@product-search/core/domain/query-understanding/constraints.ts";
import type { Understanding } from "@product-search/deep-search/understanding/understanding.ts";
import requests from "./requests.json" with { type: "json" };

/** The expected understanding of one intent; prices in the major unit of the currency. What is missing must not be read. */
interface ExpectedIntent {
  category?: string;
  words?: string;
  /** Its purpose and place. */
  for?: string;
  /** Wishes that only affect the order. */
  wishes?: string;
  min?: number;
  max?: number;
  rating?: number;
  discount?: number;
  stock?: string;
  brand?: string;
  store?: string;
  /** "red|blue black": red or blue, and black. */
  colours?: string;
  size?: string;
  /** "leather, shoulder strap". */
  without?: string;
}

export interface EvalRequest {
  request: string;
  intents: readonly ExpectedIntent[];
  sort?: string;
  /** A budget for all intents together. */
  budget?: number;
  topic?: string;
}

/** Written before they were first run, with words of the sample catalog. */
export const evalRequests: readonly EvalRequest[] = requests;

/** The differences from the expected understanding; empty if there are none. */
export function compareReading(read: Understanding, expected: EvalRequest): string[] {
  const faults: string[] = [];
  const compare = (what: string, actual: unknown, expectedValue: unknown): void => {
    const [found, asked] = [JSON.stringify(actual), JSON.stringify(expectedValue)];
    if (found !== asked) faults.push(`${what} is ${found}, not ${asked}`);
  };
  compare("topic", read.topic, expected.topic);
  compare("number of wants", read.intents.length, expected.intents.length);
  compare("sorting", `${read.sorting.sort} ${read.sorting.order}`, expected.sort ?? "relevance desc");
  compare("budget", read.sharedBudgetMinor, minor(expected.budget));
  for (const [index, intent] of expected.intents.entries()) {
    const { words = [], purpose = [], wishes = [], constraints = {} } = read.intents[index] ?? {};
    compare("words", words.join(" "), intent.words ?? "");
    compare("purpose", purpose.join(" "), intent.for ?? "");
    compare("wishes", wishes.join(" "), intent.wishes ?? "");
    const actual = inOrder(constraints);
    compare("constraints", actual, inOrder(expectedConstraints(intent)));
  }
  return faults;
}

const minor = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : Math.round(amount * 100);

export function expectedConstraints(intent: ExpectedIntent): Constraints {
  const { category, brand, store, min, max, rating, discount, stock, colours, size, without } = intent;
  return {
    ...(min !== undefined && { minPriceMinor: Math.round(min * 100) }),
    ...(max !== undefined && { maxPriceMinor: Math.round(max * 100) }),
    ...(rating !== undefined && { minRating: rating }),
    ...(discount !== undefined && { minDiscount: discount }),
    ...(stock !== undefined && { availability: availabilities.filter((one) => one === stock) }),
    ...(brand !== undefined && { brands: [brand] }),
    ...(store !== undefined && { stores: [store] }),
    ...(category !== undefined && { categories: [category] }),
    ...(colours !== undefined && { colours: colours.split(" ").map((group) => group.split("|")) }),
    ...(size !== undefined && { attributes: [{ name: "size", values: [size] }] }),
    ...(without !== undefined && { without: without.split(", ") }),
  };
}

function inOrder(constraints: Constraints): [string, unknown][] {
  return Object.entries(constraints).toSorted(([one], [other]) => one.localeCompare(other));
}
