// Runs as a separate process: loads the index, and requests suggestions after each letter.
import { openIndex, readSnapshot, type SuggestQuery } from "@product-search/text-index";
import { type Timing, timingOf } from "../text/figures.ts";
import { typedTexts } from "./typed-texts.ts";

export interface SuggestFigures extends Timing {
  /** Number of texts that were timed. None was requested before. */
  readonly texts: number;
  /** The share of texts of three letters or more for which a query was suggested. */
  readonly responded: number;
  readonly p99MsByLetters: Readonly<Record<string, number>>;
}

const [folder = "", products = "0", people = "0"] = process.argv.slice(2);
const read = readSnapshot(folder, "bench");
if (!read.usable) throw new Error(read.reason);
const { snapshot } = read;
const former = openIndex(snapshot);
// A warm-up with other texts, so that the code is compiled.
for (let seed = 1; seed <= 3; seed++) for (const text of textsOf(seed)) former.suggest(queryOf(text));
// A new reader, as after a change of the catalog: nothing is cached.
const index = openIndex(snapshot, former);
const texts = textsOf(0);
const timed = texts.map((text) => {
  const start = performance.now();
  const { queries } = index.suggest(queryOf(text));
  return { text, found: queries.length > 0, ms: performance.now() - start };
});
const longer = timed.filter(({ text }) => text.length >= 3);
const figures: SuggestFigures = {
  ...timingOf(timed.map(({ ms }) => ms)),
  texts: texts.length,
  responded: longer.filter(({ found }) => found).length / longer.length,
  p99MsByLetters: Object.fromEntries(
    Object.entries(Object.groupBy(timed, ({ text }) => lettersOf(text))).map(([letters, some = []]) => [
      letters,
      timingOf(some.map(({ ms }) => ms)).p99Ms,
    ]),
  ),
};
process.stdout.write(JSON.stringify(figures));

function textsOf(seed: number): string[] {
  return typedTexts(Number(people), Number(products), seed);
}

function queryOf(text: string): SuggestQuery {
  return { text, source: 0, queries: 8, names: 5, documents: 5 };
}

function lettersOf({ length }: string): string {
  return length <= 3 ? `${length}` : length <= 8 ? "4 to 8" : "9 and more";
}
