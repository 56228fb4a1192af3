import { EventEmitter } from "node:events";
import type { ImageFeeds } from "../../src/compose/images/image-ports.ts";
import { composeImages } from "../../src/compose/images/keep-images.ts";
import { composeVectorFileBuilder, type VectorSegments } from "../../src/compose/images/vector-file.ts";
import { composeVisionModels } from "../../src/compose/images/vision-models.ts";
import type { SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import type { Config } from "../../src/config.ts";

let loaded: ReturnType<typeof composeVisionModels> | undefined;

export interface ImagesHere {
  feeds: ImageFeeds;
  /** Starts to describe the catalog's images. Resolves when all images in the database can be searched. */
  imaged(): Promise<void>;
  stop(): Promise<void>;
}

/** Does the work of the vision threads and of the vector thread on this thread. */
export function imagesHere(config: Config, stores: SqliteStores): ImagesHere {
  const published = new EventEmitter<{ vectors: [VectorSegments] }>();
  let latest: VectorSegments | undefined;
  // Loaded on first use, because it takes a moment and most tests need no images.
  const models = () => {
    loaded ??= composeVisionModels(config, (error) => {
      throw error;
    });
    return loaded;
  };
  const see = async () => (await models())[0].see;
  const start = async () =>
    composeImages(config, stores, {
      models: await models(),
      concurrency: 2,
      describe: async (bytes, signal) => (await see()).describe(bytes, signal),
      buildFile: composeVectorFileBuilder(config, stores),
      publishSearched: () => {},
      publish(segments) {
        latest = segments;
        published.emit("vectors", segments);
      },
      onProgress: () => {},
      onError: (error) => {
        throw error;
      },
    });
  let keeper: ReturnType<typeof start> | undefined;
  return {
    feeds: {
      vectors(receive) {
        published.on("vectors", receive);
        if (latest !== undefined) receive(latest);
      },
      describe: async ({ bytes }, signal) => (await see()).describe(bytes, signal),
      detect: async ({ bytes }, signal) => (await see()).detect(bytes, signal),
    },
    async imaged() {
      keeper ??= start();
      await (await keeper).ready;
    },
    async stop() {
      await (await keeper)?.stop();
    },
  };
}
