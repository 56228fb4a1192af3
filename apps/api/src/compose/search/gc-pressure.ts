/** For the main thread, which passes snapshots of the text index on and needs nothing else of it. */
export { createGcPressure as composeGcPressure } from "@product-search/text-search/newest-index.ts";
