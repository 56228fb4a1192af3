import { Counter, Registry } from "prom-client";
import { composeVisionModels } from "../../compose/images.ts";
import { ApiError } from "../../errors.ts";
import type { VisionModel } from "../../ports/vision-model.ts";
import type { Run } from "../role.ts";
import { yieldDecodersToOthers } from "../thread-priority.ts";

/** Clients wait for so many pictures at most; a picture takes around ten milliseconds. */
const requests = { concurrency: 1, mostWaiting: 20 };
const catalogPictures = { concurrency: 1, mostWaiting: 20 };

/** Sees, for requests and for the catalog; a picture of each takes its turn. */
export const runVision: Run = async ({ config, link, logger }) => {
  yieldDecodersToOthers();
  const models = await composeVisionModels(config, (error, what) => logger.warn({ err: error }, what));
  const [newest] = models;
  const seeingWith = (wanted: string | undefined): VisionModel =>
    (models.find(({ model }) => model === wanted) ?? newest).see;
  const registry = new Registry();
  const pictures = new Counter({
    name: "vision_pictures_total",
    help: "Pictures looked at, by what for and what came of it.",
    labelNames: ["purpose", "outcome"],
    registers: [registry],
  });
  const counted = async <Result>(purpose: string, work: Promise<Result>): Promise<Result> => {
    const outcome = await work.then(
      () => "seen",
      (error: unknown) => (error instanceof ApiError ? error.code : "failed"),
    );
    pictures.inc({ purpose, outcome });
    return work;
  };
  const { signal } = new AbortController();

  link.serve("visionModels", { concurrency: 10, mostWaiting: 10 }, async () =>
    models.map(({ model, dimensions, encoder }) => ({ model, dimensions, encoder })),
  );
  link.serve("describePicture", requests, ({ bytes, model }) =>
    counted("request", seeingWith(model).describe(bytes, signal)),
  );
  link.serve("findObjects", requests, ({ bytes, model }) =>
    counted("detection", seeingWith(model).detect(bytes, signal)),
  );
  link.serve("describeCatalogPicture", catalogPictures, ({ bytes }) =>
    counted("catalog", newest.see.describe(bytes, signal)),
  );
  link.answerPoll("metrics", async () => registry.getMetricsAsJSON());
  logger.debug({ models: models.map(({ model }) => model) }, "seeing");
  return { stop: async () => {} };
};
