import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";

const currency = "USD";

/** Writes the first sample products as JSON Lines in the form of the service's responses, as operators would import them. */
export async function writeSampleFeed(
  path: string,
  products: number,
  change = (product: ProductInput): ProductInput => product,
): Promise<void> {
  const file = createWriteStream(path);
  const settings = { currency, nowMs: Date.now() };
  for (let number = 0; number < products; number += 1) {
    const line = JSON.stringify(toRow(change(sampleProductInput(number, settings))));
    if (!file.write(`${line}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

function toRow({
  key,
  priceMinor,
  formerPrices: _,
  source: __,
  originalPriceMinor,
  ...rest
}: ProductInput): object {
  const original =
    originalPriceMinor === undefined ? {} : { originalPrice: fromMinor(originalPriceMinor, currency) };
  return { _id: key, price: fromMinor(priceMinor, currency), ...original, ...rest };
}
