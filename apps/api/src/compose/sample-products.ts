export { defaultSampleSize } from "@product-search/sample-catalog";
export { sampleProductInput, sampleProductInputs } from "@product-search/sample-catalog/sample-products.ts";
