import { productId, productSlug } from "@product-search/core/domain/identity.ts";
import { currencyExponent } from "@product-search/core/domain/price/money.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { type SampleProduct, sampleProduct } from "@product-search/sample-catalog";

interface Settings {
  currency: string;
  nowMs: number;
}

/** The product of that number in the form of a feed; its page is one of this service. */
export function sampleProductInput(number: number, { currency, nowMs }: Settings): ProductInput {
  const product = sampleProduct(number, { currencyDecimals: currencyExponent(currency), nowMs });
  return { ...product, url: pageOf(product) };
}

export function* sampleProductInputs(count: number, settings: Settings): Generator<ProductInput> {
  for (let number = 0; number < count; number++) yield sampleProductInput(number, settings);
}

function pageOf({ source, key, name }: SampleProduct): string {
  return `/products/${productSlug(source, key, productId(source, key), name)}`;
}
