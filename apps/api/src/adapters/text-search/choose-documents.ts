import {
  type IndexDocument,
  type IndexWriter,
  newToSample,
  openIndex,
  type SampleSize,
  type TextIndex,
} from "@product-search/text-index";

/** Which of these documents the index is to hold. */
export type ChooseDocuments = (
  writer: IndexWriter,
  documents: readonly IndexDocument[],
) => readonly IndexDocument[];

export const chooseAll: ChooseDocuments = (_, documents) => documents;

/** New versions of those that the index holds, and what it lacks of the catalog's words and names. */
export function chooseSample(size: SampleSize): ChooseDocuments {
  let index: TextIndex | undefined;
  return (writer, documents) => {
    index = openIndex(writer.snapshot, index);
    const unknown = documents.filter(({ id }) => !writer.has(id));
    const wanted = new Set(newToSample(index, unknown, size));
    return documents.filter((document) => wanted.has(document) || writer.has(document.id));
  };
}
