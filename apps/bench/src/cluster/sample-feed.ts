import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { fromMinor } from "@product-search/api/domain/price/money.ts";

export interface SampleFeed {
  path: string;
  products: number;
  /** A word that each product has, and no product of another feed. */
  word: string;
  /** Added to each price. */
  more: number;
}

/** Sample products without images, as operators would import them. */
export async function writeSampleFeed({ path, products, word, more }: SampleFeed): Promise<void> {
  const file = createWriteStream(path);
  const settings = { currency: "USD", nowMs: Date.now() };
  for (let number = 0; number < products; number += 1) {
    const {
      key,
      priceMinor,
      formerPrices: _,
      source: __,
      originalPriceMinor: ___,
      ...rest
    } = sampleProductInput(number, settings);
    const line = JSON.stringify({
      ...rest,
      _id: key,
      price: fromMinor(priceMinor + more, "USD"),
      description: `${rest.description} ${word}`,
      images: [],
    });
    if (!file.write(`${line}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}
