import { type Deletions, isDeleted, openSegment, type Segment, type Snapshot } from "../segment/segment.ts";
import { nameKey } from "../text/tokenize.ts";
import { attributeNumbers, attributesIn } from "./segment-tags.ts";

/** For each source, how many documents have each attribute, by the key of its name. */
export function countAttributeNames(snapshot: Snapshot): Map<number, Map<string, number>> {
  const counts = new Map<number, Map<string, number>>();
  for (const { deletions, ...handle } of snapshot.segments)
    addNames({ segment: openSegment(handle), deletions }, counts);
  return counts;
}

/** The keys of the names that documents of a source have, or of all sources. */
export function attributeNamesIn(parts: readonly OpenPart[], source: number | undefined): Set<string> {
  const counts = new Map<number, Map<string, number>>();
  for (const part of parts) addNames(part, counts);
  const sources = source === undefined ? [...counts.keys()] : [source];
  return new Set(sources.flatMap((one) => [...(counts.get(one)?.keys() ?? [])]));
}

interface OpenPart {
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
}

/** A document's tags of one attribute are adjacent. */
function addNames({ segment, deletions }: OpenPart, counts: Map<number, Map<string, number>>): void {
  const { sources, tagRows, tagStarts } = segment.sections;
  const keys = attributesIn(segment).map(({ name }) => nameKey(name));
  const numbers = attributeNumbers(segment);
  const bySource = new Map<number, Uint32Array>();
  for (let doc = 0; doc < segment.documents; doc++) {
    if (deletions !== undefined && isDeleted(deletions, doc)) continue;
    const source = sources[doc] ?? 0;
    const documents = bySource.get(source) ?? new Uint32Array(keys.length + 1);
    bySource.set(source, documents);
    let last = 0;
    for (let at = tagStarts[doc] ?? 0; at < (tagStarts[doc + 1] ?? 0); at++) {
      const number = numbers[tagRows[at] ?? 0] ?? 0;
      if (number !== last) documents[number] = (documents[number] ?? 0) + 1;
      last = number;
    }
  }
  for (const [source, documents] of bySource) {
    const names = counts.get(source) ?? new Map<string, number>();
    counts.set(source, names);
    keys.forEach((key, i) => {
      const some = documents[i + 1] ?? 0;
      if (some > 0) names.set(key, (names.get(key) ?? 0) + some);
    });
  }
}
