export { defaultSampleSize } from "@product-search/sample-catalog";
export { sampleProductInput, sampleProductInputs } from "../adapters/sample-catalog/sample-products.ts";
