import type { IndexDocument } from "@product-search/text-index";
import { toIndexDocument } from "../../src/adapters/text-search/to-index-document.ts";
import { firstProduct } from "../../src/domain/next-product.ts";
import { sampleProduct } from "../../src/features/catalog/sample/sample-product.ts";

const settings = { currency: "USD", nowMs: Date.UTC(2026, 10, 21) };

/** The document of a sample product as the store would give it; row ids count from 1. */
export function sampleDocument(number: number): IndexDocument {
  const { product } = firstProduct(sampleProduct(number, settings), settings.nowMs);
  return toIndexDocument({ ...product, rowId: number + 1 });
}

export function* sampleDocuments(count: number): Generator<IndexDocument> {
  for (let number = 0; number < count; number++) yield sampleDocument(number);
}
