import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { wordsOf } from "./words.ts";

/** A need by its words, in another language than the encoder's. */
export interface ForeignNeed {
  /** The beginnings of words that a text must have. */
  readonly stems: readonly string[];
  /** The numbers of the kinds that meet it. */
  readonly kinds: readonly number[];
}

export interface NeedsMet {
  /** Those that no kind meets as well: who has such a need finds nothing. */
  readonly encoded: ReadonlyArray<{ readonly text: string; readonly kinds: readonly number[] }>;
  readonly foreign: readonly ForeignNeed[];
}

/** What is read of a kind of product. */
interface NamedKind {
  readonly name: string;
}

/** The most frequent kinds of a name are enough. */
const maxKindsOfNeed = 12;

/**
 * The needs of everyday life that kinds of a catalog meet, by the table `needs.txt`: no small model knows that an auger helps against
 * a blocked sink. Each of its lines has things and needs, in English, German, French and Spanish.
 */
export function needsMetBy(kinds: readonly NamedKind[]): NeedsMet {
  const file = createRequire(import.meta.url).resolve("@product-search/word-meaning/needs.txt");
  const kindsOf = kindsByName(kinds);
  const encoded = new Map<string, Set<number>>();
  const foreign: ForeignNeed[] = [];
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const columns = line.split(" | ");
    const things = columns.filter((_, at) => at % 2 === 0).flatMap((names) => names.split(", "));
    const meeting = [...new Set(things.flatMap(kindsOf))].slice(0, maxKindsOfNeed);
    const [english = [], ...others] = columns
      .filter((_, at) => at % 2 === 1)
      .map((needs) => needs.split("; "));
    for (const text of english) encoded.set(text, new Set([...(encoded.get(text) ?? []), ...meeting]));
    if (meeting.length === 0) continue;
    foreign.push(...others.flat().map((need) => ({ stems: wordsOf(need).map(stemOf), kinds: meeting })));
  }
  return { encoded: [...encoded].map(([text, meeting]) => ({ text, kinds: [...meeting] })), foreign };
}

/** The kinds whose name ends with the name of a thing: a desk lamp is a lamp. */
function kindsByName(kinds: readonly NamedKind[]): (thing: string) => readonly number[] {
  const endings = new Map<string, number[]>();
  kinds.forEach(({ name }, at) => {
    const words = wordsOf(name).map(stemOf);
    for (let from = 0; from < words.length; from++) {
      const ending = words.slice(from).join(" ");
      endings.set(ending, [...(endings.get(ending) ?? []), at]);
    }
  });
  return (thing) => endings.get(wordsOf(thing).map(stemOf).join(" ")) ?? [];
}

/** What the forms of a word have in common, in all four languages. */
function stemOf(word: string): string {
  return word.length < 5 ? word : word.replace(/(?:es|en|er|[aeons])$/, "");
}

/** The kinds that meet a need which a text in another language names. */
export function kindsForForeign(needs: readonly ForeignNeed[], text: string): readonly number[] {
  const words = wordsOf(text);
  const isIn = (stem: string) => words.some((word) => word.startsWith(stem));
  return needs.find(({ stems }) => stems.every(isIn))?.kinds ?? [];
}
