import {
  english,
  externalDocuments,
  type IndexDocument,
  type Languages,
  nameKey,
  numberColumns,
} from "@product-search/text-index";
import { availabilityCode } from "@product-search/text-search/to-index.ts";
import { groupField, membersField } from "../cluster/write-entries.ts";

/**
 * The layout of products in the index of OpenSearch. Increase the version with every change that makes stored documents
 * unusable: a new index is then built next to the old one, as with a further column of numbers.
 */
export const textLayoutVersion = 15 + numberColumns.length;

/** Longer terms are not indexed: no query has one. OpenSearch would divide them at its usual limit, 255, and find the parts. */
const longestTerm = 1_000;
const longestImpact = "|255".length;

/** Longer names do not rank. A value of a column has at most 32 766 bytes, and a character up to four. */
const longestName = 8_191;

/** A search reads a shard in one thread: with more products in it, searches take longer. */
export const productsPerShard = 2_000_000;

/** A group with more members is counted by its first ones: each change of a member writes the document of the group again. */
export const maxMembers = 2_000;

/** How soon searches see changes. */
export const textRefreshInterval = "500ms";

/** Between terms: those of levels have spaces. */
const termSeparator = "\n";

/**
 * Terms are sent with their impacts, `lamp|211`. The impact is stored as the frequency of the term, and the score of a term is
 * its impact times the weight in the query. Scores are whole numbers, equal to those of the embedded index.
 */
export function textLayout() {
  return {
    settings: {
      // How long a deleted document keeps its version, so that a writer that was paused cannot create the product
      // again.
      gc_deletes: "1h",
      similarity: {
        impact: { type: "scripted", script: { source: "return Math.round(query.boost * doc.freq);" } },
      },
      analysis: {
        filter: { impact: { type: "delimited_term_freq", delimiter: "|" } },
        tokenizer: {
          terms: {
            type: "char_group",
            tokenize_on_chars: [termSeparator],
            max_token_length: longestTerm + longestImpact,
          },
        },
        analyzer: { impacts: { type: "custom", tokenizer: "terms", filter: ["impact"] } },
      },
    },
    mappings: {
      dynamic: false,
      _source: { enabled: false },
      properties: {
        // What hits return is read from columns: documents as they were sent would have to be decompressed for each hit.
        rowId: { type: "long", index: false },
        name: { type: "keyword", index: false, ignore_above: longestName },
        language: { type: "keyword", index: false },
        terms: {
          type: "text",
          analyzer: "impacts",
          search_analyzer: "whitespace",
          index_options: "freqs",
          norms: false,
          similarity: "impact",
        },
        tie: { type: "long", index: false },
        quality: { type: "float" },
        // 1 where that is so.
        outOfStock: { type: "byte" },
        // One hit for each value: the group of a product or, if it has none, the product itself.
        group: { type: "keyword" },
        [groupField]: { type: "keyword", index: false, doc_values: false, store: true },
        isAlone: { type: "boolean", doc_values: false },
        ...productFields,
        [membersField]: {
          type: "nested",
          dynamic: false,
          properties: {
            rowId: { type: "long" },
            terms: { type: "keyword", doc_values: false },
            ...productFields,
          },
        },
      },
    },
  };
}

/** What finds and counts a product, or a member of a group. */
const productFields = {
  keys: { type: "keyword", doc_values: false },
  source: { type: "short" },
  availability: { type: "short" },
  priceMinor: { type: "long" },
  rating: { type: "float" },
  discount: { type: "float" },
  ...Object.fromEntries(numberColumns.map((column) => [column, { type: "double" }])),
  valueClass: { type: "short" },
  ...nameFields("brand"),
  ...nameFields("category"),
  ...nameFields("store"),
  // What facets count: keys, so that spellings of one name are counted together. Indexes of the release before have none.
  brandFacet: { type: "keyword", index: false },
  storeFacet: { type: "keyword", index: false },
  categoryFacet: { type: "keyword", index: false, ignore_above: longestName },
  attributeFacet: { type: "keyword", index: false, ignore_above: longestName },
  levels: { type: "keyword" },
  attributeNames: { type: "keyword" },
  attributes: { type: "keyword", ignore_above: longestName },
  numbers: { type: "keyword", ignore_above: longestName },
  tagKeys: { type: "keyword", doc_values: false, ignore_above: longestName },
};

/** A name in two forms: as written to be shown, and normalised for filters. */
function nameFields(name: string) {
  return { [name]: { type: "keyword" }, [`${name}Key`]: { type: "keyword", doc_values: false } };
}

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
