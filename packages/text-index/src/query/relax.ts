import type { PlannedWord, Relaxation } from "./query-plan.ts";
import { cost, type WantedThing } from "./word-roles.ts";

/** The minimum share of the total cost of the words, step by step. */
const shares = [0.75, 0.5, 0.25] as const;

/**
 * The steps in which words are dropped, the cheapest first. If it is certain which word is the thing, that word is kept. It
 * is dropped only if no document has it together with a quarter of the rest: either all other words are found together and
 * also name a thing ("spiral window balance wrench" then finds spiral window balances), or only the thing is searched for.
 */
export function relaxationsOf(words: readonly PlannedWord[], thing: WantedThing): Relaxation[] {
  const all = words.reduce((sum, word) => sum + word.cost, 0);
  const rest = all - (words[thing.place]?.cost ?? 0);
  return thing.isSure ? keepingThing(rest, thing.hasRival) : droppingAny(all);
}

function keepingThing(rest: number, hasRival: boolean): Relaxation[] {
  if (rest === 0) return [];
  const steps = shares
    .map((share) => Math.ceil(rest * share))
    .filter((least) => least < rest)
    .map((least) => ({ least, needsThing: true, isLastResort: false }));
  const withoutThing = { least: rest, needsThing: false, isLastResort: true };
  const thingAlone = { least: 0, needsThing: true, isLastResort: true };
  return rest >= 2 * cost.describing && hasRival
    ? [...steps, withoutThing, thingAlone]
    : [...steps, thingAlone];
}

/** No document matches only by light words, unless there are no others. */
function droppingAny(all: number): Relaxation[] {
  const least = Math.min(cost.describing, all);
  return [...new Set([...shares.map((share) => Math.ceil(all * share)), least])]
    .filter((sum) => sum >= least && sum < all)
    .map((sum) => ({ least: sum, needsThing: false, isLastResort: false }));
}
