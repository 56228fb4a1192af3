import {
  english,
  externalDocuments,
  type IndexDocument,
  type Languages,
  nameKey,
} from "@product-search/text-index";
import { availabilityCode } from "@product-search/text-search/to-index.ts";
import { groupField } from "../cluster/write-entries.ts";
import { longestTerm, termSeparator } from "./text-layout.ts";

const outOfStock = availabilityCode("out_of_stock");

/** The OpenSearch documents of the products, in their order. */
export function toIndexSources(documents: readonly IndexDocument[], languages: Languages = [english]) {
  return externalDocuments(documents, languages).map(({ id, terms, keys, valueClass, tags }, i) => {
    const document = documents[i];
    if (document?.id !== id)
      throw new Error(`The terms of document ${id} are not in the order of the documents.`);
    const { fields, language, tie, source, availability, priceMinor, rating, discount, quality, group } =
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
      ...document.numbers,
      valueClass,
      ...named("brand", fields.brand),
      categoryKey: nameKey(fields.category),
      category: tags.categories,
      categoryFacet: tags.categoryKeys,
      levels: tags.levels,
      attributeNames: tags.attributeNames,
      attributes: tags.attributes,
      attributeFacet: tags.attributeKeys,
      numbers: tags.numbers,
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
        terms: words.map(([term, impact]) => `${term}|${impact}`).join(termSeparator),
        tie,
        quality,
        ...(availability === outOfStock && { outOfStock: 1 }),
      },
      // Members of a group are found and counted in its document, and ranked in their own.
      member: { ...member, terms: words.map(([term]) => term) },
    };
  });
}

function named(field: string, name: string): Record<string, string> {
  const key = nameKey(name);
  return { [`${field}Key`]: key, ...(key !== "" && { [field]: name, [`${field}Facet`]: key }) };
}
