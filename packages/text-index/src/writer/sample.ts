import { externalDocuments } from "../external/external-documents.ts";
import type { IndexDocument } from "../segment/index-document.ts";
import { nameKinds } from "../segment/segment-tables.ts";
import { indexOfString } from "../segment/string-table.ts";
import { nameKey, tokenize } from "../text/tokenize.ts";
import { internalsOfIndex, type TextIndex } from "../text-index.ts";

/** The limits of an index that only has to know the words of a catalog. */
export interface SampleSize {
  /** The first documents, always included: the weights of a query's words are computed from them. */
  readonly documents: number;
  /** Further ones, up to this total, that have a word of letters, also of an attribute's values, that the sample lacks. */
  readonly words: number;
  /** Further ones, up to this total, that have a name that the sample lacks. */
  readonly names: number;
}

const letters = /^[\p{L}\p{M}]+$/u;

/**
 * Those of the documents that the sample needs: with these it knows the words and the names of the catalog. It stays
 * small, since a large catalog says few new words; codes and numbers, of which each product may have its own, do not
 * count. `index` is the sample so far.
 */
export function newToSample(
  index: TextIndex,
  documents: readonly IndexDocument[],
  size: SampleSize,
): IndexDocument[] {
  const { readers, statistics, languages } = internalsOfIndex(index);
  const added = new Set<string>();
  const namesOf = ({ fields }: IndexDocument) =>
    nameKinds.map((kind) => ({ kind, name: fields[fieldOf[kind]], key: `${kind} ${fields[fieldOf[kind]]}` }));
  const isNewName = ({ kind, name, key }: ReturnType<typeof namesOf>[number]) =>
    name !== "" && !added.has(key) && readers.every(({ segment }) => indexOfString(segment[kind], name) < 0);
  const isNewWord = (term: string) =>
    letters.test(term) && !added.has(term) && statistics.documentsWith(term) === 0;
  const isNewValue = ({ name, word, key }: ReturnType<typeof valueWordsOf>[number]) =>
    !added.has(key) && !statistics.isInValues(name, word);
  const external = externalDocuments(documents, languages);
  const chosen: IndexDocument[] = [];
  documents.forEach((document, i) => {
    const held = index.documents + chosen.length;
    if (held >= Math.max(size.words, size.names)) return;
    const terms = external[i]?.terms.map(([term]) => term) ?? [];
    const names = namesOf(document);
    const values = valueWordsOf(document);
    const isNeeded =
      held < size.documents ||
      (held < size.words && (terms.some(isNewWord) || values.some(isNewValue))) ||
      (held < size.names && names.some(isNewName));
    if (!isNeeded) return;
    chosen.push(document);
    for (const part of [...terms, ...[...names, ...values].map(({ key }) => key)]) added.add(part);
  });
  return chosen;
}

/** A query with the name of an attribute is read by the words of its values. */
function valueWordsOf({ attributes = [] }: IndexDocument) {
  return attributes.flatMap(([attribute, value]) => {
    const name = nameKey(attribute);
    const words = tokenize(value).filter((word) => letters.test(word));
    return words.map((word) => ({ name, word, key: `${name}: ${word}` }));
  });
}

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;
