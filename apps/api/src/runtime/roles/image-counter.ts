import { ApiError } from "@product-search/core/errors.ts";
import { Counter, type Registry } from "prom-client";

/** Counts where the calls are made: threads for images end, and their counts with them. */
export function createImageCounter(registry: Registry): {
  count<Result>(purpose: "request" | "detection" | "catalog", work: Promise<Result>): Promise<Result>;
} {
  const images = new Counter({
    name: "product_search_vision_pictures_total",
    help: "Images looked at, by what for and what came of it.",
    labelNames: ["purpose", "outcome"],
    registers: [registry],
  });
  return {
    async count(purpose, work) {
      const outcome = await work.then(
        () => "seen",
        (error: unknown) => (error instanceof ApiError ? error.code : "failed"),
      );
      images.inc({ purpose, outcome });
      return work;
    },
  };
}
