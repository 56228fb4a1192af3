import {
  type IndexDocument,
  type IndexWriter,
  type Languages,
  newToSample,
  openIndex,
  type SampleSize,
  type TextIndex,
} from "@product-search/text-index";

/** Which of these documents the index should have. */
export type ChooseDocuments = (
  writer: IndexWriter,
  documents: readonly IndexDocument[],
) => readonly IndexDocument[];

export const chooseAll: ChooseDocuments = (_, documents) => documents;

/** New versions of documents in the index, and documents with words or names that the index lacks. */
export function chooseSample(size: SampleSize, languages: Languages): ChooseDocuments {
  let index: TextIndex | undefined;
  return (writer, documents) => {
    index = openIndex(writer.snapshot, index, languages);
    const unknown = documents.filter(({ id }) => !writer.has(id));
    const wanted = new Set(newToSample(index, unknown, size));
    return documents.filter((document) => wanted.has(document) || writer.has(document.id));
  };
}
