import {
  type Constraints,
  mergeConstraints,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { comparable } from "./colours.ts";
import type { ReadIntent } from "./read-intent.ts";
import type { Intent, Understanding } from "./understanding.ts";
import { placeWords } from "./word-lists.ts";

/** Constraints that apply to every intent if they come before the first or after the last of them. */
const sharedKeys = [
  "minPriceMinor",
  "maxPriceMinor",
  "minRating",
  "minDiscount",
  "availability",
  "stores",
] as const;

/** "tents and mats under 50" limits both; "under 200 together" is one budget for one of each. */
export function shareConstraints(
  intents: readonly ReadIntent[],
  together: boolean,
): Pick<Understanding, "intents" | "sharedBudgetMinor"> {
  const [first] = intents;
  const last = intents.at(-1);
  if (first === undefined || last === undefined || intents.length === 1)
    return { intents: intents.map(toIntent) };
  const shared = mergeConstraints(pickShared(first.leading), pickShared(last.trailing));
  const budget = together ? budgetOf(intents) : undefined;
  const all = intents
    .map((intent) => withPlaceOf(last, intent))
    .map((intent) => {
      const constraints = { ...withoutOwn(shared, intent.constraints), ...intent.constraints };
      if (budget !== undefined) delete constraints.maxPriceMinor;
      return toIntent({ ...intent, constraints });
    });
  return { intents: all, ...(budget !== undefined && { sharedBudgetMinor: budget }) };
}

/** "A chair and a lamp for my office": both are for the office. */
function withPlaceOf(last: ReadIntent, intent: ReadIntent): ReadIntent {
  const isPlace = last.purpose.length > 0 && last.purpose.every((word) => placeWords.has(comparable(word)));
  return isPlace && intent.purpose.length === 0 ? { ...intent, purpose: last.purpose } : intent;
}

/** An intent with its own price bound keeps it: "a tent under 100 and a mat under 20". */
function withoutOwn(shared: Constraints, own: Constraints): Constraints {
  const { minPriceMinor, maxPriceMinor, ...rest } = shared;
  return own.minPriceMinor === undefined && own.maxPriceMinor === undefined ? shared : rest;
}

function toIntent({ leading: _, trailing: __, ...intent }: ReadIntent): Intent {
  return intent;
}

function budgetOf(intents: readonly ReadIntent[]): number | undefined {
  return intents.map(({ constraints }) => constraints.maxPriceMinor).findLast((bound) => bound !== undefined);
}

function pickShared(constraints: Constraints): Constraints {
  return Object.fromEntries(
    sharedKeys.flatMap((key) => (key in constraints ? [[key, constraints[key]]] : [])),
  );
}
