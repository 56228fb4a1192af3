import { systemClock } from "@product-search/core/ports/clock.ts";
import { composePartBuilder } from "../../compose/search/text-index.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** Builds parts of a new text index on request, while the thread that asks builds others. */
export const runIndexPart: Run = async ({ config, bus }) => {
  const stores = await composeStores(config, systemClock, { readsInOrder: true });
  bus.serve("buildIndexPart", { concurrency: 1, maxWaiting: 0 }, composePartBuilder(stores));
  return { stop: () => stores.close() };
};
