import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "@product-search/text-index";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import type { Response } from "./judge-queries.ts";

const judged = 5;

/** Searches documents in the same way as the service. */
export function searchDocuments(documents: readonly IndexDocument[]): (text: string) => Response {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  const index = openIndex(snapshotOf(builder.build(), 0), undefined, [serviceLanguage]);
  const byId = new Map(documents.map((document) => [document.id, document.fields]));
  return (text) => {
    const { ids, total, words } = index.search({ text, offset: 0, limit: judged });
    const first = ids.map((id) => `${byId.get(id)?.name} (${byId.get(id)?.category})`);
    const corrected = words.filter(({ as }) => as === "corrected");
    return { total, first, corrected: corrected.map(({ word, used }) => `${word} as ${used.join(" ")}`) };
  };
}
