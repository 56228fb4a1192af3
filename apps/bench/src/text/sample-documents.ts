import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { firstProduct } from "@product-search/core/domain/next-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { IndexDocument } from "@product-search/text-index";
import type { CatalogLog } from "@product-search/text-search/catalog-log.ts";
import { toIndexDocument } from "@product-search/text-search/to-index.ts";

const settings = { currency: "USD", nowMs: Date.UTC(2026, 10, 21) };

/** Row ids start at 1. */
function sampleProduct(number: number): StoredProduct {
  const { product } = firstProduct(sampleProductInput(number, settings), settings.nowMs);
  return { ...product, rowId: number + 1 };
}

export function sampleDocument(number: number): IndexDocument {
  return toIndexDocument(sampleProduct(number));
}

interface SampleLog extends Pick<CatalogLog, "scan"> {
  /** How long products were invented. */
  seconds(): number;
}

/** A catalog of so many sample products. */
export function sampleLog(products: number): SampleLog {
  let milliseconds = 0;
  return {
    async scan(after, limit) {
      const start = performance.now();
      const count = Math.max(0, Math.min(limit, products - after));
      const scanned = Array.from({ length: count }, (_, i) => sampleProduct(after + i));
      milliseconds += performance.now() - start;
      return scanned;
    },
    seconds: () => milliseconds / 1000,
  };
}

export function* sampleDocuments(count: number): Generator<IndexDocument> {
  for (let number = 0; number < count; number++) yield sampleDocument(number);
}

/** The texts that the index searches, for another engine: the category with the levels above it, values of attributes. */
export function searchedTexts({ fields, categoryPaths = [], attributes = [] }: IndexDocument) {
  const levels = new Set([fields.category, ...categoryPaths.flat()]);
  return {
    ...fields,
    category: [...levels].join(" "),
    attributes: attributes.map(([, value]) => value).join(" "),
  };
}

const further: ReadonlyArray<readonly [name: string, values: readonly string[]]> = [
  ["pattern", ["plain", "striped", "checked", "dotted", "floral"]],
  ["gender", ["female", "male", "unisex"]],
  ["season", ["spring", "summer", "autumn", "winter"]],
  ["finish", ["matte", "glossy", "brushed", "raw", "lacquered", "polished", "oiled"]],
];

/** The same with exactly five attributes, as many as a real catalog has. */
export function withFiveAttributes(document: IndexDocument): IndexDocument {
  const names = new Set<string>();
  const own = (document.attributes ?? []).filter(([name]) => {
    const isNew = !names.has(name);
    names.add(name);
    return isNew;
  });
  const added = further.map(([name, values], i): readonly [string, string] => [
    name,
    values[(document.id * (i + 7)) % values.length] ?? "",
  ]);
  return { ...document, attributes: [...own, ...added].slice(0, 5) };
}
