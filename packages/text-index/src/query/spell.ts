import { createMatches, intersect, loadPostings } from "../search/matches.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { postingCount } from "../segment/postings.ts";
import { indexOfString } from "../segment/string-table.ts";
import { termOf } from "../text/term.ts";

/** What an unknown word probably means. */
export interface Spelling {
  readonly as: "corrected" | "split";
  readonly words: readonly string[];
}

const WORD = /^[\p{L}\p{M}]+$/u;
const MIN_LENGTH = 4;
const TWO_EDITS_FROM_LENGTH = 7;
// In so few letters most changes make another word that was not meant (tent, ten; nike, nine).
const FEW_LETTERS = 4;
const MIN_PART = 3;
// Slips of the first letter are rare: such a neighbour counts as half an edit further away.
const FIRST_LETTER_PENALTY = 0.5;
const NAMES_LOOKED_AT = 50;

/** The nearest known word, or two known words that stand side by side in a name. Numbers are never guessed at. */
export function spell(readers: readonly SegmentReader[], word: string): Spelling | undefined {
  if (!WORD.test(word) || word.length < MIN_LENGTH) return undefined;
  const split = splitWord(readers, word);
  if (split !== undefined) return { as: "split", words: split };
  const corrected = nearest(readers, word);
  return corrected === undefined ? undefined : { as: "corrected", words: [corrected] };
}

function nearest(readers: readonly SegmentReader[], word: string): string | undefined {
  const limit = word.length < TWO_EDITS_FROM_LENGTH ? 1 : 2;
  let best: { word: string; cost: number; documents: number } | undefined;
  const seen = new Set<string>();
  for (const { word: candidate, distance } of readers.flatMap((reader) =>
    reader.state.neighbours.find(word, limit),
  )) {
    if (seen.has(candidate)) continue;
    seen.add(candidate);
    if (word.length <= FEW_LETTERS && !keepsLetters(word, candidate)) continue;
    const cost = distance + (candidate[0] === word[0] ? 0 : FIRST_LETTER_PENALTY);
    const documents = documentsWith(readers, candidate);
    const better =
      best === undefined ||
      cost < best.cost ||
      (cost === best.cost &&
        (documents > best.documents || (documents === best.documents && candidate < best.word)));
    if (documents > 0 && better) best = { word: candidate, cost, documents };
  }
  return best?.word;
}

/** True when all letters that were typed are meant: one was left out, two were swapped, or one was typed twice. */
function keepsLetters(word: string, candidate: string): boolean {
  if (candidate.length > word.length || candidate === word.replace(/(.)\1/u, "$1")) return true;
  return [...candidate].sort().join() === [...word].sort().join();
}

function splitWord(readers: readonly SegmentReader[], word: string): readonly string[] | undefined {
  let best: { words: readonly string[]; documents: number } | undefined;
  for (let i = MIN_PART; i <= word.length - MIN_PART; i++) {
    const words = [word.slice(0, i), word.slice(i)];
    const documents = Math.min(...words.map((part) => documentsWith(readers, part)));
    if (documents > (best?.documents ?? 0) && standSideBySide(readers, words)) best = { words, documents };
  }
  return best?.words;
}

function documentsWith(readers: readonly SegmentReader[], word: string): number {
  const term = termOf(word);
  return readers.reduce((sum, reader) => sum + reader.documentsWithTerm(term), 0);
}

function standSideBySide(readers: readonly SegmentReader[], words: readonly string[]): boolean {
  return readers.some((reader) => {
    const [left, right] = words.map((word) => termOf(word));
    if (left === undefined || right === undefined) return false;
    const lists = [left, right].map((term) => reader.postingsOf([{ term, weight: 1 }]));
    lists.sort((a, b) => postingCount(a) - postingCount(b));
    const [shorter, longer] = lists;
    if (shorter === undefined || longer === undefined) return false;
    const both = createMatches(postingCount(shorter));
    loadPostings(both, shorter, 1);
    intersect(both, longer, 1);
    const { terms, sections } = reader.segment;
    const leftId = indexOfString(terms, left);
    const rightId = indexOfString(terms, right);
    const termAt = (at: number) => sections.wordTerms[sections.nameWords[at] ?? 0];
    for (let i = 0; i < Math.min(both.count, NAMES_LOOKED_AT); i++) {
      const doc = both.docs[i] ?? 0;
      const end = sections.nameOffsets[doc + 1] ?? 0;
      for (let at = sections.nameOffsets[doc] ?? 0; at + 1 < end; at++) {
        if (termAt(at) === leftId && termAt(at + 1) === rightId) return true;
      }
    }
    return false;
  });
}
