import type { Sections } from "../segment/segment-layout.ts";
import type { Steps } from "../segment/steps.ts";
import { minePhrases, type Phrase } from "./mine-phrases.ts";
import { noWord, wordsPerPhrase } from "./phrase-room.ts";

/** More names than this add little: of a larger segment only every second, third, … name is read. */
const maxNames = 262_144;

/** Writes the frequent phrases of the names, source by source, most frequent first. */
export function* fillPhrases(sections: Sections): Steps<void> {
  const { phraseWords, phraseCounts, phraseSources } = sections;
  if (phraseCounts.length === 0) return;
  phraseWords.fill(noWord);
  const bySource = sampleBySource(sections);
  const share = Math.floor(phraseCounts.length / Math.max(1, bySource.size));
  let at = 0;
  for (const [source, docs] of bySource) {
    const phrases = yield* minePhrases(sections, docs);
    yield;
    for (const { words, count } of phrases.sort(byCount).slice(0, share)) {
      phraseWords.set(words, at * wordsPerPhrase);
      phraseCounts[at] = count;
      phraseSources[at++] = source;
    }
    yield;
  }
}

function sampleBySource({ sources }: Sections): Map<number, Uint32Array> {
  const step = Math.ceil(sources.length / maxNames);
  const docs = new Map<number, number[]>();
  for (let doc = 0; doc < sources.length; doc += step) {
    const source = sources[doc] ?? 0;
    const known = docs.get(source) ?? [];
    if (known.length === 0) docs.set(source, known);
    known.push(doc);
  }
  return new Map(
    Array.from(docs)
      .sort(([one], [other]) => one - other)
      .map(([source, list]) => [source, Uint32Array.from(list)]),
  );
}

/** Most frequent first; equal counts by length, longest first, then by their words. */
function byCount(a: Phrase, b: Phrase): number {
  return b.count - a.count || b.words.length - a.words.length || compareWords(a.words, b.words);
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
}
