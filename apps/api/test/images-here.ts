import { EventEmitter } from "node:events";
import type { Stores } from "../src/compose.ts";
import {
  composePictures,
  composeVectorFileBuilder,
  composeVisionModels,
  type ImageFeeds,
  type VectorSegments,
} from "../src/compose-images.ts";
import type { Config } from "../src/config.ts";

let loaded: ReturnType<typeof composeVisionModels> | undefined;

export interface ImagesHere {
  feeds: ImageFeeds;
  /** Starts to describe the catalog's pictures. Settles when all that are in the store can be searched. */
  pictured(): Promise<void>;
  stop(): Promise<void>;
}

/** What the threads that see and the one that keeps the vectors do, on this one. */
export function imagesHere(config: Config, stores: Stores): ImagesHere {
  const published = new EventEmitter<{ vectors: [VectorSegments] }>();
  let latest: VectorSegments | undefined;
  // Loading takes a moment, and most tests need no pictures.
  const models = () => {
    loaded ??= composeVisionModels(config);
    return loaded;
  };
  const start = () =>
    composePictures(config, stores, {
      models: models(),
      concurrency: 2,
      describe: (bytes, signal) => models()[0].see.describe(bytes, signal),
      buildFile: composeVectorFileBuilder(config, stores),
      publish(segments) {
        latest = segments;
        published.emit("vectors", segments);
      },
      onProgress: () => {},
      onFault: (error) => {
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
      describe: ({ bytes }, signal) => models()[0].see.describe(bytes, signal),
      detect: ({ bytes }, signal) => models()[0].see.detect(bytes, signal),
    },
    async pictured() {
      keeper ??= start();
      await (await keeper).ready;
    },
    async stop() {
      await (await keeper)?.stop();
    },
  };
}
