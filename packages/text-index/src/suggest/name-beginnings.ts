import { liveTotals } from "../facets/live-totals.ts";
import { nameAt } from "../facets/segment-names.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints } from "../segment/string-table.ts";
import { fold } from "../text/fold.ts";
import { tokenize } from "../text/tokenize.ts";
import { endsBeginning, type NameEnd, nameEnds } from "./name-ends.ts";
import { createLikeness } from "./similar-beginnings.ts";

/** Names of one kind with the number of live documents of a source, computed once per snapshot. */
export class NameBeginnings {
  readonly #readers: readonly SegmentReader[];
  readonly #kind: NameKind;
  readonly #totals: readonly Uint32Array[];

  constructor(readers: readonly SegmentReader[], kind: NameKind, source: number | undefined) {
    this.#readers = readers;
    this.#kind = kind;
    this.#totals = readers.map((reader) => liveTotals(reader, kind, source));
  }

  /**
   * Names in which a word begins with the typed text or its last words; if there are none, with a typing error. Names
   * that begin with the text come first, then the most frequent.
   */
  find(typed: string, limit: number): string[] {
    const words = tokenize(typed, "query");
    for (let from = 0; from < words.length; from++) {
      const text = words.slice(from).join(" ");
      const found = this.#rank((ends) => endsBeginning(ends, text).map((end) => ({ end, cost: 0 })), limit);
      if (found.length > 0) return found;
    }
    const likeness = createLikeness(words.at(-1) ?? "");
    if (likeness === undefined) return [];
    return this.#rank((ends) => {
      const near: Found[] = [];
      for (const end of ends) {
        const cost = likeness.costOf(end.text, end.mask);
        if (cost !== undefined) near.push({ end, cost });
      }
      return near;
    }, limit);
  }

  #rank(choose: (ends: readonly NameEnd[]) => readonly Found[], limit: number): string[] {
    const byKey = new Map<string, Ranked>();
    this.#readers.forEach(({ segment }, i) => {
      for (const { end, cost } of choose(nameEnds(segment, this.#kind))) {
        const documents = this.#totals[i]?.[end.name] ?? 0;
        if (documents === 0) continue;
        const name = nameAt(segment, this.#kind, end.name);
        const key = fold(name);
        const known = byKey.get(key);
        const place = cost + (end.isWhole ? 0 : innerPenalty);
        if (known === undefined) byKey.set(key, { name, documents, place });
        else if (known.name === name && known.place <= place) known.documents += documents;
        else known.place = Math.min(known.place, place);
      }
    });
    const ranked = [...byKey.values()].sort(
      (a, b) => a.place - b.place || b.documents - a.documents || compareCodePoints(a.name, b.name),
    );
    return ranked.slice(0, limit).map(({ name }) => name);
  }
}

/** A name in which only a later word matches ranks below one with a wrong first letter. */
const innerPenalty = 0.75;

interface Found {
  readonly end: NameEnd;
  readonly cost: number;
}

interface Ranked {
  readonly name: string;
  documents: number;
  place: number;
}
