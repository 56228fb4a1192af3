import type { VisionModel } from "@product-search/core/ports/images.ts";
import { composeVisionModels } from "../../compose/images/vision-models.ts";
import type { Run } from "../role.ts";
import { lowerDecoderPriority } from "../thread-priority.ts";

/** Maximum number of waiting images of clients. An image takes about ten milliseconds. */
const requests = { concurrency: 1, maxWaiting: 20 };
const catalogImages = { concurrency: 1, maxWaiting: 20 };

/** Describes images for requests and for the catalog, taking turns between both. */
export const runVision: Run = async ({ config, bus, logger }) => {
  lowerDecoderPriority();
  const models = await composeVisionModels(config, (error, what) => logger.warn({ err: error }, what));
  const [newest] = models;
  const seeingWith = (name: string | undefined): VisionModel =>
    (models.find(({ model }) => model === name) ?? newest).see;
  bus.serve("visionModels", { concurrency: 10, maxWaiting: 10 }, async () =>
    models.map(({ model, dimensions, encoder }) => ({ model, dimensions, encoder })),
  );
  bus.serve("describeImage", requests, ({ bytes, model }, signal) =>
    seeingWith(model).describe(bytes, signal),
  );
  bus.serve("findObjects", requests, ({ bytes, model }, signal) => seeingWith(model).detect(bytes, signal));
  bus.serve("describeCatalogImage", catalogImages, ({ bytes }, signal) => newest.see.describe(bytes, signal));
  logger.debug({ models: models.map(({ model }) => model) }, "seeing");
  return { stop: async () => {} };
};
