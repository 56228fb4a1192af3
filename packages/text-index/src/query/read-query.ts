import type { Alternative, SegmentReader } from "../search/segment-reader.ts";
import { termOf } from "../text/term.ts";
import { tokenize } from "../text/tokenize.ts";
import { type Spelling, spell } from "./spell.ts";

/** A word of the query and what hits may have for it. */
export interface QueryWord {
  readonly word: string;
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "unknown";
  readonly used: readonly string[];
  readonly alternatives: readonly Alternative[];
}

/** More words than this are not read: no product text needs them, and the work must stay bounded. */
const MAX_WORDS = 32;
const COMPLETION_WEIGHT = 0.8;
const MIN_PREFIX_LENGTH = 2;
const JOINED = /^\p{L}{4,}$/u;
// Words that say how the others belong together. They rank but are not required, unless there are no others.
const OPTIONAL = new Set(
  "a an and are as at be by for from in into is it its of on or that the this to with your".split(" "),
);

/** Splits a query into words and settles what each stands for: itself, a correction, two words, or words it begins. */
export function readQuery(readers: readonly SegmentReader[], text: string): QueryWord[] {
  const tokens = [...new Set(tokenize(text, "query"))].slice(0, MAX_WORDS);
  const words = tokens.flatMap((word, i) => readWord(readers, word, i === tokens.length - 1));
  const joined = words.map((word, i) => withJoined(readers, word, words[i - 1], words[i + 1]));
  if (joined.some(({ as }) => as !== "optional" && as !== "unknown")) return joined;
  return joined.map((word) => (word.as === "optional" ? { ...word, as: "matched" } : word));
}

function readWord(readers: readonly SegmentReader[], word: string, isLast: boolean): QueryWord[] {
  const term = termOf(word);
  if (isKnown(readers, term)) {
    const as = OPTIONAL.has(word) ? "optional" : "matched";
    return [{ word, as, used: [word], alternatives: [{ term, weight: 1 }] }];
  }
  const completes =
    isLast && word.length >= MIN_PREFIX_LENGTH && readers.some((reader) => reader.hasPrefix(word));
  if (completes) {
    return [
      {
        word,
        as: "completed",
        used: [`${word}…`],
        alternatives: [{ prefix: word, weight: COMPLETION_WEIGHT }],
      },
    ];
  }
  return fromSpelling(word, spell(readers, word));
}

function fromSpelling(word: string, spelling: Spelling | undefined): QueryWord[] {
  if (spelling === undefined) return [{ word, as: "unknown", used: [], alternatives: [] }];
  return spelling.words.map((used) => ({
    word,
    as: spelling.as,
    used: [used],
    alternatives: [{ term: termOf(used), weight: 1 }],
  }));
}

/** "shower head" also stands for "showerhead", and "thresh hold" for "threshold", where those are words. */
function withJoined(
  readers: readonly SegmentReader[],
  word: QueryWord,
  before: QueryWord | undefined,
  after: QueryWord | undefined,
): QueryWord {
  if (word.as === "optional" || word.as === "completed") return word;
  const joins = [before && `${before.word}${word.word}`, after && `${word.word}${after.word}`];
  const known = joins.filter(
    (join) => join !== undefined && JOINED.test(join) && isKnown(readers, termOf(join)),
  );
  const alternatives = known.flatMap((join) =>
    join === undefined ? [] : [{ term: termOf(join), weight: 1 }],
  );
  if (alternatives.length === 0) return word;
  if (word.as === "matched" || word.as === "split") {
    return { ...word, alternatives: [...word.alternatives, ...alternatives] };
  }
  // What was only guessed at gives way to what is written, if for the space.
  return { word: word.word, as: "corrected", used: known.filter((join) => join !== undefined), alternatives };
}

function isKnown(readers: readonly SegmentReader[], term: string): boolean {
  return readers.some((reader) => reader.documentsWithTerm(term) > 0);
}

/** The same query whose last word may also be the beginning of longer ones. Undefined when that changes nothing. */
export function withCompletion(
  readers: readonly SegmentReader[],
  words: readonly QueryWord[],
): QueryWord[] | undefined {
  const last = words.at(-1);
  if (last?.as !== "matched" || last.word.length < MIN_PREFIX_LENGTH) return undefined;
  const alternatives = [...last.alternatives, { prefix: last.word, weight: COMPLETION_WEIGHT }];
  // Most words begin no other word: to look for those again would find the same.
  const addsTerms = (reader: SegmentReader) =>
    reader.termsOf(alternatives).size > reader.termsOf(last.alternatives).size;
  if (!readers.some(addsTerms)) return undefined;
  return [...words.slice(0, -1), { ...last, alternatives }];
}
