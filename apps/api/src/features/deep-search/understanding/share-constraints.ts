import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import { mergeConstraints } from "../../../domain/query-understanding/merge-constraints.ts";
import type { ReadWant } from "./read-want.ts";
import type { Understanding, Want } from "./understanding.ts";

/** What holds for every want when it is said before the first or after the last of them. */
const sharedKeys = [
  "minPriceMinor",
  "maxPriceMinor",
  "minRating",
  "minDiscount",
  "availability",
  "stores",
] as const;

/** "tents and mats under 50" bounds both; "under 200 together" is one budget for one of each. */
export function shareConstraints(
  wants: readonly ReadWant[],
  together: boolean,
): Pick<Understanding, "wants" | "sharedBudgetMinor"> {
  const [first] = wants;
  const last = wants.at(-1);
  if (first === undefined || last === undefined || wants.length === 1) return { wants: wants.map(toWant) };
  const shared = mergeConstraints(pickShared(first.leading), pickShared(last.trailing));
  const budget = together ? budgetOf(wants) : undefined;
  const all = wants.map((want) => {
    const constraints = { ...withoutOwn(shared, want.constraints), ...want.constraints };
    if (budget !== undefined) delete constraints.maxPriceMinor;
    return toWant({ ...want, constraints });
  });
  return { wants: all, ...(budget !== undefined && { sharedBudgetMinor: budget }) };
}

/** A want with a price bound of its own has said what it means: "a tent under 100 and a mat under 20". */
function withoutOwn(shared: Constraints, own: Constraints): Constraints {
  const { minPriceMinor, maxPriceMinor, ...rest } = shared;
  return own.minPriceMinor === undefined && own.maxPriceMinor === undefined ? shared : rest;
}

function toWant({ leading: _, trailing: __, ...want }: ReadWant): Want {
  return want;
}

function budgetOf(wants: readonly ReadWant[]): number | undefined {
  return wants.map(({ constraints }) => constraints.maxPriceMinor).findLast((bound) => bound !== undefined);
}

function pickShared(constraints: Constraints): Constraints {
  return Object.fromEntries(
    sharedKeys.flatMap((key) => (key in constraints ? [[key, constraints[key]]] : [])),
  );
}
