import { isContradictory } from "../../../domain/query-understanding/constraints.ts";
import type { Relaxable } from "../../../ports/answer-writer.ts";
import type { TextHits, TextSearch } from "../../../ports/text-search.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Sorting, Want } from "../understanding/understanding.ts";
import { type Attempt, attemptsFor } from "./relaxation.ts";
import { filtersOf } from "./want-filters.ts";

/** What was found for a want, and what had to be given up to find it. */
export interface FoundWant {
  /** As it was asked in the end. */
  want: Want;
  givenUp: readonly Relaxable[];
  /** Words that the products do not all have. */
  droppedWords: readonly string[];
  correctedText?: string;
  hits: TextHits;
}

/** So many hits are looked at to choose ten different ones from. */
const poolSize = 40;
const facetLimit = 8;
const nothing: TextHits = { rowIds: [], total: 0, droppedWords: [] };

export async function findWant(
  textSearch: TextSearch,
  want: Want,
  sorting: Sorting,
  signal: AbortSignal,
): Promise<FoundWant> {
  if (!isContradictory(want.constraints)) {
    for (const attempt of attemptsFor(want)) {
      const hits = await searchOnce(textSearch, attempt, sorting, signal);
      if (hits.total === 0 || losesHead(attempt.want, hits) || isGuess(attempt, hits)) continue;
      return foundWant(attempt, hits);
    }
  }
  return { want, givenUp: [], droppedWords: [], hits: nothing };
}

function searchOnce(
  textSearch: TextSearch,
  { want, everyWord }: Attempt,
  sorting: Sorting,
  signal: AbortSignal,
): Promise<TextHits> {
  const text = want.words.join(" ");
  const filters = filtersOf(want.constraints);
  return textSearch.search(
    { text, filters, ...sorting, offset: 0, limit: poolSize, facetLimit, everyWord },
    signal,
  );
}

/** "unicorn saddle" finds no saddle: toys with a unicorn are no answer to it. */
function losesHead({ head }: Want, { droppedWords }: TextHits): boolean {
  return head !== undefined && droppedWords.some((word) => comparable(word) === comparable(head));
}

/** A word taken for another while further ones are missing: "bestseller books" are no boots. */
function isGuess({ leftOut }: Attempt, { correctedText, droppedWords }: TextHits): boolean {
  return correctedText !== undefined && leftOut.length + droppedWords.length > 0;
}

function foundWant({ want, givenUp, leftOut }: Attempt, hits: TextHits): FoundWant {
  const { correctedText } = hits;
  const droppedWords = [...leftOut, ...hits.droppedWords];
  const allGivenUp: readonly Relaxable[] = hits.droppedWords.length > 0 ? [...givenUp, "words"] : givenUp;
  return {
    want,
    givenUp: allGivenUp,
    droppedWords,
    hits,
    ...(correctedText !== undefined && { correctedText }),
  };
}
