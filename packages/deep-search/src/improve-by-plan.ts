import {
  type Constraints,
  mergeConstraints,
  normalise,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { abortable } from "@product-search/core/mechanisms/retry.ts";
import type { AnswerPlan, AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import type { Conversation } from "./conversation.ts";
import { type RetrieveDeps, type Retrieved, retrieve } from "./retrieval/retrieve.ts";
import { isSizeWord } from "./understanding/read-roles.ts";
import { type UnderstandDeps, understand } from "./understanding/understand.ts";
import type { Intent, Understanding } from "./understanding/understanding.ts";
import { audienceWords } from "./understanding/word-lists.ts";

/** The understanding of a request, and the result of a search with it. */
export interface Finding {
  understanding: Understanding;
  retrieved: Retrieved;
}

const planDeadlineMs = 3000;
const maxSearches = 4;
const maxSearchLength = 200;

/**
 * If the rules did not find everything that was asked for, a model may rephrase the request. The same rules read the new
 * wording, and it is used only if it finds more. The constraints of the original request stay.
 */
export async function improveByPlan(
  deps: UnderstandDeps & RetrieveDeps,
  writer: AnswerWriter,
  { query: request, history }: Required<Conversation>,
  finding: Finding,
  signal: AbortSignal,
): Promise<Finding> {
  if (isComplete(finding)) return finding;
  try {
    const planSignal = AbortSignal.any([signal, AbortSignal.timeout(planDeadlineMs)]);
    const plan = await abortable(writer.plan({ request, history }, planSignal), planSignal);
    if (plan === undefined || !bringsNoNumbers(plan, [request, ...history])) return finding;
    return (await follow(deps, plan, finding, planSignal)) ?? finding;
  } catch {
    // The result of the rules is used; the call that writes the answer reports the failure of the model.
    return finding;
  }
}

function isComplete({ understanding, retrieved: { parts } }: Finding): boolean {
  if (understanding.topic !== undefined) return understanding.topic !== "question";
  return parts.every(({ hits, relaxed }) => hits.total > 0 && relaxed.length === 0);
}

/** The model must not add a bound that the request does not have. */
function bringsNoNumbers({ searches }: AnswerPlan, requests: readonly string[]): boolean {
  const numbers = (text: string): string[] => normalise(text).traced.text.match(/\d+(?:\.\d+)?/gu) ?? [];
  const known = new Set(requests.flatMap(numbers));
  return searches.flatMap(numbers).every((number) => known.has(number));
}

async function follow(
  deps: UnderstandDeps & RetrieveDeps,
  { isProductSearch, searches }: AnswerPlan,
  finding: Finding,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  if (!isProductSearch || searches.length === 0) return undefined;
  const readings = await Promise.all(
    searches
      .slice(0, maxSearches)
      .map((search) => understand(deps, search.slice(0, maxSearchLength), signal)),
  );
  const [first] = finding.understanding.intents;
  const bounds = hardConstraints(first?.constraints ?? {});
  const asked = relaxableConstraints(first?.constraints ?? {});
  const intents = readings
    .flatMap((reading) => reading.intents)
    .slice(0, maxSearches)
    .map((intent) => ({
      ...intent,
      constraints: { ...asked, ...mergeConstraints(intent.constraints, bounds) },
    }));
  if (intents.length === 0) return undefined;
  const { sharedBudgetMinor, sorting: own } = finding.understanding;
  const sorting = own.sort === "relevance" ? (readings[0]?.sorting ?? own) : own;
  const leftOut = unmetWordsOf(finding).filter((word) => !intents.some((intent) => hasWord(intent, word)));
  const { otherCurrency, asksForNewest, asksForPopular, language, typed } = finding.understanding;
  const understanding = {
    intents,
    sorting,
    ...(sharedBudgetMinor !== undefined && { sharedBudgetMinor }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(language !== undefined && { language }),
    ...(typed !== undefined && { typed }),
    ...(otherCurrency && { otherCurrency }),
    ...(asksForNewest && { asksForNewest }),
    ...(asksForPopular && { asksForPopular }),
  };
  const retrieved = await retrieve(deps, understanding, signal);
  return isBetter(retrieved, finding.retrieved) ? { understanding, retrieved } : undefined;
}

function hardConstraints({
  minPriceMinor,
  maxPriceMinor,
  without,
}: Understanding["intents"][number]["constraints"]) {
  return {
    ...(minPriceMinor !== undefined && { minPriceMinor }),
    ...(maxPriceMinor !== undefined && { maxPriceMinor }),
    ...(without !== undefined && { without }),
  };
}

/** These are relaxed if nothing meets them, and the answer says so: a plan without them does not remove them. */
function relaxableConstraints({ colours, brands, stores }: Constraints): Constraints {
  return {
    ...(colours !== undefined && { colours }),
    ...(brands !== undefined && { brands }),
    ...(stores !== undefined && { stores }),
  };
}

/** The sizes and people in the request that no product meets: a plan cannot meet them in other words. */
function unmetWordsOf({ understanding, retrieved: { parts, productCount } }: Finding): string[] {
  const dropped = parts.flatMap(({ droppedWords }) => droppedWords);
  const all = understanding.intents.flatMap(({ words, purpose }) => [...words, ...purpose]);
  const words = productCount > 0 ? dropped.filter(isSizeWord) : sizesIn(all);
  return [
    ...new Set([...(productCount > 0 ? dropped : all).filter((word) => audienceWords.has(word)), ...words]),
  ];
}

/** "Size 42", but not the number of "2 person". */
function sizesIn(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^sizes?$/u.test(word));
  return at < 0 ? [] : words.slice(at, at + 2).filter(isSizeWord);
}

function hasWord({ words, purpose }: Intent, word: string): boolean {
  return [...words, ...purpose].includes(word);
}

function isBetter(one: Retrieved, other: Retrieved): boolean {
  const relaxed = ({ parts }: Retrieved): number => parts.reduce((sum, part) => sum + part.relaxed.length, 0);
  if (one.productCount === 0) return false;
  return other.productCount === 0 || relaxed(one) < relaxed(other);
}
