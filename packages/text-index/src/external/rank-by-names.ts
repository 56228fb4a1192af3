import type { Languages } from "../language/language.ts";
import { createNameBonus, type NameBonus, type RankedQuery } from "../search/name-bonus.ts";
import { roundScore } from "../search/rank-hits.ts";
import { SegmentReader } from "../search/segment-reader.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import { compareCodePoints } from "../segment/string-table.ts";

/** A hit of another engine, with the values that order equal hits. */
export interface NamedHit {
  readonly id: number;
  /** With its factor. */
  readonly score: number;
  /** By which rules multiply the score; undefined in a search without them. */
  readonly factor?: number | undefined;
  /** Whether it comes after all that do not. */
  readonly isLast?: boolean | undefined;
  readonly name: string;
  readonly language?: string | undefined;
  readonly quality: number;
  readonly tieKey: string;
}

export interface NameRules extends RankedQuery {
  readonly languages: Languages;
  /** Of the vocabulary, which has the names of most hits in the form that is needed. */
  readonly readers: readonly SegmentReader[];
}

/** The ids of the hits in the order that an index would give: the rules for names are the same. */
export function rankByNames(hits: readonly NamedHit[], rules: NameRules): number[] {
  if (hits.length < 2 || rules.words.length === 0) return hits.map(({ id }) => id);
  const bonuses = knownBonuses(hits, rules);
  const unknown = hits.filter(({ id }) => !bonuses.has(id));
  if (unknown.length > 0) {
    for (const [id, bonus] of knownBonuses(unknown, {
      ...rules,
      readers: [readerOf(unknown, rules.languages)],
    }))
      bonuses.set(id, bonus);
  }
  return hits
    .map((hit) => ({ hit, score: scoreOf(hit, bonuses.get(hit.id) ?? 0) }))
    .sort((a, b) => lastOf(a.hit) - lastOf(b.hit) || b.score - a.score || compareTies(a.hit, b.hit))
    .map(({ hit }) => hit.id);
}

function lastOf({ isLast = false }: NamedHit): number {
  return isLast ? 1 : 0;
}

function scoreOf({ score, factor }: NamedHit, bonus: number): number {
  return factor === undefined ? score + bonus : roundScore(score + bonus * factor);
}

/** The bonus of each hit that a reader has, by its id. */
function knownBonuses(hits: readonly NamedHit[], { readers, ...query }: NameRules): Map<number, number> {
  const bonuses = new Map<number, number>();
  for (const reader of readers) {
    let bonusOf: NameBonus | undefined;
    for (const { id } of hits) {
      const doc = bonuses.has(id) ? undefined : reader.documentOf(id);
      if (doc === undefined) continue;
      bonusOf ??= createNameBonus(reader, query);
      bonuses.set(id, bonusOf(doc));
    }
  }
  return bonuses;
}

/** The order of documents in an index. */
function compareTies(a: NamedHit, b: NamedHit): number {
  return b.quality - a.quality || compareCodePoints(a.tieKey, b.tieKey) || a.id - b.id;
}

/** An index of only these hits. */
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
