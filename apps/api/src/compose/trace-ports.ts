import type { Ports } from "@product-search/features/handlers.ts";
import type { Config } from "../config.ts";
import { tracePort } from "./trace-port.ts";

/**
 * Adds spans for calls to the indexes, the database, the marketplaces and the models. Without tracing, the same
 * ports.
 */
export function tracePorts({ tracing }: Pick<Config, "tracing">, ports: Ports): Ports {
  if (tracing === undefined) return ports;
  const { marketplaceSources, modelWriter } = ports;
  return {
    ...ports,
    textSearch: tracePort("index.text", ports.textSearch),
    vectorSearch: tracePort("index.vectors", ports.vectorSearch),
    catalogStore: tracePort("store.catalog", ports.catalogStore),
    catalogWrites: tracePort("store.catalog", ports.catalogWrites),
    productImageStore: tracePort("store.product_images", ports.productImageStore),
    uploadedImageStore: tracePort("store.uploaded_images", ports.uploadedImageStore),
    insightStore: tracePort("store.insights", ports.insightStore),
    ruleStore: tracePort("store.rules", ports.ruleStore),
    synonymEditor: tracePort("store.synonyms", ports.synonymEditor),
    webhookStore: tracePort("store.webhooks", ports.webhookStore),
    visionModel: tracePort("model.vision", ports.visionModel),
    builtInWriter: tracePort("writer.built_in", ports.builtInWriter),
    marketplaceSources: {
      "marketplace-a": tracePort("marketplace-a", marketplaceSources["marketplace-a"]),
      "marketplace-b": tracePort("marketplace-b", marketplaceSources["marketplace-b"]),
    },
    ...(modelWriter !== undefined && { modelWriter: tracePort("model.language", modelWriter) }),
  };
}
