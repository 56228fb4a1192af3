import type { PlannedWord, Relaxation } from "./query-plan.ts";
import { cost, type WantedThing } from "./word-roles.ts";

/** What is left of what the words are worth, step by step. */
const shares = [0.75, 0.5, 0.25] as const;

/**
 * The steps in which words are given up, the cheapest first. A sure thing is kept throughout. Only where no document has
 * it with a quarter of the rest may it go: when all the rest is found together and names a thing, too ("spiral window
 * balance wrench" then finds spiral window balances); else the thing is found alone.
 */
export function relaxationsOf(words: readonly PlannedWord[], thing: WantedThing): Relaxation[] {
  const all = words.reduce((sum, word) => sum + word.cost, 0);
  const rest = all - (words[thing.place]?.cost ?? 0);
  return thing.isSure ? keepingThing(rest, thing.hasRival) : givingUpAny(all);
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

/** No document matches by light words alone, unless there are no others. */
function givingUpAny(all: number): Relaxation[] {
  const least = Math.min(cost.describing, all);
  return [...new Set([...shares.map((share) => Math.ceil(all * share)), least])]
    .filter((sum) => sum >= least && sum < all)
    .map((sum) => ({ least: sum, needsThing: false, isLastResort: false }));
}
