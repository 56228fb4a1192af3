import { marketplaces } from "@product-search/core/ports/marketplace-source.ts";
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

/** In the order of their code points. */
const characters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** 0 is the end of a text. */
const base = characters.length + 1;
const length = 8;
const codes = Uint8Array.from({ length: 128 }, (_, point) => {
  const character = String.fromCharCode(point);
  return [...characters].filter((one) => one <= character).length;
});

/**
 * A whole number with the order of the identifiers of products, as far as their source and the next eight characters tell
 * them apart: OpenSearch sorts by numbers at a fraction of what texts cost. Identifiers of marketplaces are
 * `<marketplace>_<item code>`, and those of the catalog come first.
 */
export function tieNumber(id: string): number {
  const at = id.indexOf("_") + 1;
  const rank = marketplaces.findIndex((marketplace) => id.startsWith(`${marketplace}_`)) + 1;
  let number = rank;
  for (let i = 0; i < length; i++) {
    const point = id.charCodeAt(at + i);
    number = number * base + (Number.isNaN(point) ? 0 : (codes[Math.min(point, 127)] ?? 0));
  }
  return number;
}

const outOfStock = availabilityCode("out_of_stock");

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
        tie: tieNumber(tieKey),
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
