import type { Languages } from "../language/language.ts";
import { createNameBonus } from "../search/name-bonus.ts";
import { SegmentReader } from "../search/segment-reader.ts";
import type { WeighedWord } from "../search/weigh-words.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";

/** A hit of another engine, with the values that order equal hits. */
export interface NamedHit {
  readonly id: number;
  readonly score: number;
  readonly name: string;
  readonly language?: string | undefined;
  readonly quality: number;
  readonly tieKey: string;
}

/** The ids of the hits in the order that an index of only these would give: the rules for names are the same. */
export function rankByNames(
  hits: readonly NamedHit[],
  words: readonly WeighedWord[],
  thing: number,
  languages: Languages,
): number[] {
  if (hits.length < 2 || words.length === 0) return hits.map(({ id }) => id);
  const reader = readerOf(hits, languages);
  const bonus = createNameBonus(reader, words, thing);
  const scoreOf = new Map(hits.map(({ id, score }) => [id, score]));
  const ranked = Array.from(reader.segment.sections.ids, (id, doc) => ({
    id,
    doc,
    score: (scoreOf.get(id) ?? 0) + bonus(doc),
  }));
  return ranked.sort((a, b) => b.score - a.score || a.doc - b.doc).map(({ id }) => id);
}

function readerOf(hits: readonly NamedHit[], languages: Languages): SegmentReader {
  const builder = createSegmentBuilder({ phrases: false, languages });
  for (const { id, name, language, quality, tieKey } of hits) {
    const fields = { name, brand: "", store: "", description: "", category: "" };
    builder.add({
      id,
      tieKey,
      quality,
      fields,
      language,
      source: 0,
      priceMinor: 0,
      rating: 0,
      discount: 0,
      availability: 0,
    });
  }
  return new SegmentReader({ ...builder.build(), deletions: undefined, deletedCount: 0 }, undefined);
}
