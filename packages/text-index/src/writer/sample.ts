import { externalDocuments } from "../external/external-documents.ts";
import type { IndexDocument } from "../segment/index-document.ts";
import { nameKinds } from "../segment/segment-tables.ts";
import { indexOfString } from "../segment/string-table.ts";
import { internalsOfIndex, type TextIndex } from "../text-index.ts";

/** How much of a catalog an index holds that only has to know its words. */
export interface SampleSize {
  /** So many documents in any case: the words of queries are weighed by these. */
  readonly documents: number;
  /** Further ones that have a word which fewer documents of the sample have, or a name that none has. */
  readonly perTerm: number;
}

/**
 * Those of the documents that the sample needs: with these it knows every word and every name of the catalog, and stays
 * small, since a large catalog says few new words. `index` is the sample so far.
 */
export function newToSample(
  index: TextIndex,
  documents: readonly IndexDocument[],
  size: SampleSize,
): IndexDocument[] {
  const { readers, statistics } = internalsOfIndex(index);
  const room = Math.max(0, size.documents - index.documents);
  const added = new Map<string, number>();
  const isNewName = ({ fields }: IndexDocument) =>
    nameKinds.some((kind) => {
      const name = fields[fieldOf[kind]];
      return name !== "" && readers.every(({ segment }) => indexOfString(segment[kind], name) < 0);
    });
  const external = externalDocuments(documents);
  return documents.filter((document, i) => {
    const terms = external[i]?.terms ?? [];
    const isRare = ([term]: readonly [string, number]) =>
      statistics.documentsWith(term) + (added.get(term) ?? 0) < size.perTerm;
    if (i >= room && !terms.some(isRare) && !isNewName(document)) return false;
    for (const [term] of terms) added.set(term, (added.get(term) ?? 0) + 1);
    return true;
  });
}

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;
