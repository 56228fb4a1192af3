import {
  english,
  externalDocuments,
  type IndexDocument,
  type Languages,
  nameKey,
} from "@product-search/text-index";
import { groupField } from "../cluster/write-groups.ts";
import { longestTerm } from "./text-layout.ts";
import { tieNumber } from "./tie-number.ts";

/** The OpenSearch documents of the products, in their order. */
export function toIndexSources(documents: readonly IndexDocument[], languages: Languages = [english]) {
  return externalDocuments(documents, languages).map(({ id, terms, keys, valueClass, tags }, i) => {
    const document = documents[i];
    if (document?.id !== id)
      throw new Error(`The terms of document ${id} are not in the order of the documents.`);
    const { fields, language, tieKey, source, availability, priceMinor, rating, discount, quality, group } =
      document;
    const words = terms.filter(([term]) => term.length <= longestTerm);
    const member = {
      rowId: id,
      keys,
      source,
      availability,
      priceMinor,
      rating,
      discount,
      valueClass,
      ...named("brand", fields.brand),
      categoryKey: nameKey(fields.category),
      category: tags.categories,
      levels: tags.levels,
      attributeNames: tags.attributeNames,
      attributes: tags.attributes,
      tagKeys: tags.keys,
      ...named("store", fields.store),
    };
    return {
      id,
      group,
      source: {
        ...member,
        group: group ?? String(id),
        ...(group === undefined ? { isAlone: true } : { [groupField]: group }),
        name: fields.name,
        ...(language !== undefined && { language }),
        terms: words.map(([term, impact]) => `${term}|${impact}`).join(" "),
        tie: tieNumber(tieKey),
        quality,
      },
      // Members of a group are found and counted in its document, and ranked in their own.
      member: { ...member, terms: words.map(([term]) => term) },
    };
  });
}

function named(field: string, name: string): Record<string, string> {
  return { [`${field}Key`]: nameKey(name), ...(name !== "" && { [field]: name }) };
}
