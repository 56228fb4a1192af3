import type { Constraints } from "@product-search/api/domain/query-understanding/constraints.ts";
import type { Understanding } from "@product-search/api/features/deep-search/understanding/understanding.ts";
import type { EvalRequest, ExpectedWant } from "./requests.ts";

/** What was read otherwise than expected; empty when all is right. */
export function compareReading(read: Understanding, expected: EvalRequest): string[] {
  const faults: string[] = [];
  const compare = (what: string, actual: unknown, wanted: unknown): void => {
    const [found, asked] = [JSON.stringify(actual), JSON.stringify(wanted)];
    if (found !== asked) faults.push(`${what} is ${found}, not ${asked}`);
  };
  compare("topic", read.topic, expected.topic);
  compare("number of wants", read.wants.length, expected.wants.length);
  compare("sorting", `${read.sorting.sort} ${read.sorting.order}`, expected.sort ?? "relevance desc");
  compare("budget", read.sharedBudgetMinor, minor(expected.budget));
  for (const [index, want] of expected.wants.entries()) {
    const { words = [], purpose = [], wishes = [], constraints = {} } = read.wants[index] ?? {};
    compare("words", words.join(" "), want.words ?? "");
    compare("purpose", purpose.join(" "), want.for ?? "");
    compare("wishes", wishes.join(" "), want.wishes ?? "");
    const actual = inOrder(constraints);
    compare("constraints", actual, inOrder(expectedConstraints(want)));
  }
  return faults;
}

const minor = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : Math.round(amount * 100);

export function expectedConstraints(want: ExpectedWant): Constraints {
  const { category, brand, store, min, max, rating, discount, stock, colours, without } = want;
  return {
    ...(min !== undefined && { minPriceMinor: Math.round(min * 100) }),
    ...(max !== undefined && { maxPriceMinor: Math.round(max * 100) }),
    ...(rating !== undefined && { minRating: rating }),
    ...(discount !== undefined && { minDiscount: discount }),
    ...(stock !== undefined && { availability: [stock] }),
    ...(brand !== undefined && { brands: [brand] }),
    ...(store !== undefined && { stores: [store] }),
    ...(category !== undefined && { categories: [category] }),
    ...(colours !== undefined && { colours: colours.split(" ").map((group) => group.split("|")) }),
    ...(without !== undefined && { without: without.split(", ") }),
  };
}

function inOrder(constraints: Constraints): [string, unknown][] {
  return Object.entries(constraints).toSorted(([one], [other]) => one.localeCompare(other));
}
