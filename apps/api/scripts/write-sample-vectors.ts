// Describes the images of the sample catalog with the built-in model, for the first start. Run it after a change of the
// drawings or of the weights; a test compares some of the vectors.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultSampleSize, parseImageAddress, sampleProduct } from "@product-search/sample-catalog";
import { encodeSampleVectors } from "@product-search/sample-catalog/sample-vectors.ts";
import { loadBuiltInModel } from "@product-search/vision";
import { drawImage } from "../src/adapters/local-images/sample.ts";

const file = fileURLToPath(new URL("../../../packages/sample-catalog/sample-vectors.bin", import.meta.url));
const model = loadBuiltInModel();
const described = [];
for (let number = 0; number < defaultSampleSize; number++) {
  const { source, images } = sampleProduct(number, { currencyDecimals: 2, nowMs: 0 });
  // Marketplaces are not searched by image.
  for (const address of source === "catalog" ? images : []) {
    const name = parseImageAddress(address);
    if (name !== undefined) described.push({ address, vector: await model.describe(await drawImage(name)) });
  }
}
writeFileSync(file, encodeSampleVectors(model.id, described));
console.log(`${described.length} images, described with ${model.id}`);
