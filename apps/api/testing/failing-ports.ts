import type { TestServiceOptions } from "./test-service.ts";

/** A service whose databases, indexes, models and marketplaces fail with this error. Tokens can be created all the same. */
export function failingWith(error: Error): TestServiceOptions {
  const fail = async () => {
    throw error;
  };
  const failing = <Port extends object>(port: Port, working?: keyof Port): Port =>
    new Proxy(port, { get: (target, name) => (name === working ? Reflect.get(target, name) : fail) });
  const failNow = () => {
    throw error;
  };
  return {
    ports: (ports) => ({
      ...ports,
      catalogStore: failing(ports.catalogStore),
      catalogWrites: failing(ports.catalogWrites),
      writtenProducts: failing(ports.writtenProducts),
      storeCurrency: failing(ports.storeCurrency),
      textSearch: failing(ports.textSearch),
      marketplaceSources: {
        "marketplace-a": failing(ports.marketplaceSources["marketplace-a"]),
        "marketplace-b": failing(ports.marketplaceSources["marketplace-b"]),
      },
      insightStore: failing(ports.insightStore),
      searchCounter: { countSearch: failNow, countEvents: failNow },
      ruleStore: failing(ports.ruleStore),
      synonymEditor: failing(ports.synonymEditor),
      webhookStore: failing(ports.webhookStore),
      uploadedImageStore: failing(ports.uploadedImageStore, "slugOf"),
      productImageStore: failing(ports.productImageStore),
      visionModel: failing(ports.visionModel),
      vectorSearch: failing(ports.vectorSearch, "model"),
    }),
    stores: ({ unitOfWork }) => ({
      unitOfWork: {
        transact: (actor, work) => (actor.kind === "command" ? unitOfWork.transact(actor, work) : fail()),
      },
    }),
  };
}
