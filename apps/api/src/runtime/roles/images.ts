import { systemClock } from "@product-search/core/ports/clock.ts";
import type { ImageProgress } from "@product-search/core/ports/images.ts";
import { Gauge, Registry } from "prom-client";
import { type IndexedModel, identifyModels } from "../../compose/images/indexed-models.ts";
import { composeImages } from "../../compose/images/keep-images.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { BusClient } from "../bus-client.ts";
import type { Run } from "../role.ts";
import { createImageCounter } from "./image-counter.ts";

const describeTimeoutMs = 60_000;
const buildTimeoutMs = 24 * 3600 * 1000;
/** Images of one host in progress per vision thread: one is described, the others wait for it. */
const imagesPerThread = 4;

/** Keeps the catalog's images described and searchable by following the change log of the catalog. */
export const runImages: Run = async ({ config, bus, logger, fail }) => {
  const stores = await composeStores(config, systemClock, { readsInOrder: true });
  const { nodeCopy } = stores;
  if (nodeCopy !== undefined) {
    bus.publish("imagesMissing", "the index of images");
    await nodeCopy.untilComplete();
  }
  const stopLooking = nodeCopy?.onBegunAnew(() => fail(new Error("The copy of the catalog was begun anew.")));
  let isReady = false;
  const tell = ({ waiting }: ImageProgress) => {
    if (!isReady) bus.publish("imagesMissing", whatIsMissing(waiting));
  };
  const registry = new Registry();
  const seen = createImageCounter(registry);
  const keeper = await composeImages(config, stores, {
    models: (await identifyModels(config)) ?? (await loadedModels(bus)),
    concurrency: config.threads * imagesPerThread,
    describe: (bytes, signal) =>
      seen.count(
        "catalog",
        bus.call("describeCatalogImage", { bytes }, { timeoutMs: describeTimeoutMs, signal }),
      ),
    buildFile: (model) => bus.call("buildVectorFile", model, { timeoutMs: buildTimeoutMs }),
    publish: (segments) => bus.publish("vectors", segments),
    publishSearched: (searched) => bus.publish("searchedVectors", searched),
    onProgress(progress) {
      logger.info(progress, "describing pictures");
      tell(progress);
    },
    onError: (error, what) => logger.error({ err: error }, what),
  });
  if (keeper.unusable) logger.info({ reason: keeper.unusable }, "building the vector index anew");
  keeper.ready.then(
    () => {
      isReady = true;
      bus.publish("imagesMissing", undefined);
    },
    () => {},
  );
  keeper.ended.catch(fail);
  addImageGauge(registry, keeper.progress);
  bus.replyToPoll("metrics", () => registry.getMetricsAsJSON());
  return {
    async stop() {
      stopLooking?.();
      await keeper.stop().finally(() => stores.close());
    },
  };
};

async function loadedModels(bus: BusClient): Promise<[IndexedModel, ...IndexedModel[]]> {
  const [newest, ...others] = await bus.call("visionModels", null, { timeoutMs: 10_000 });
  if (!newest) throw new Error("No thread has loaded a vision model.");
  return [newest, ...others];
}

function addImageGauge(registry: Registry, progress: () => Promise<ImageProgress>): void {
  new Gauge({
    name: "product_search_catalog_pictures",
    help: "The catalog's images by state.",
    labelNames: ["state"],
    registers: [registry],
    async collect() {
      const { described, waiting, lost } = await progress();
      for (const [state, images] of Object.entries({ described, waiting, lost })) {
        this.set({ state }, images);
      }
    },
  });
}

/** When all images are described, the index still has to be built. */
function whatIsMissing(waiting: number): string {
  if (waiting === 0) return "the index of images";
  return `${waiting} ${waiting === 1 ? "image" : "images"}`;
}
