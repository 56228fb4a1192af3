import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { Gauge, Registry } from "prom-client";
import { composeKindFollower } from "../../compose/search/kinds.ts";
import { describeBuild } from "../../compose/search/search-cluster.ts";
import {
  composeTextIndex,
  type IndexBuild,
  type TextIndexFollower,
} from "../../compose/search/text-index.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** For one part. */
const buildTimeoutMs = 600_000;
/** The service is ready .8 s earlier at its first start if the kinds of the sample come after its images. */
const maxWaitForImagesMs = 5000;

/** Keeps the text index up to date by following the change log of the catalog, and publishes it to the HTTP threads. */
export const runTextIndex: Run = async ({ config, bus, logger, fail }) => {
  const stores = await composeStores(config, systemClock, { readsInOrder: true });
  const { nodeCopy } = stores;
  await nodeCopy?.untilComplete();
  const epoch = nodeCopy?.state().epoch;
  const stopLooking = nodeCopy?.onBegunAnew(() =>
    // The index is of a former catalog. What is started next builds a new one.
    fail(new Error("The copy of the catalog was begun anew.")),
  );
  const startedAt = performance.now();
  let firstBuild: IndexBuild | undefined;
  let follower: TextIndexFollower | undefined;
  bus.replyToPoll(
    "metrics",
    createMetrics(stores.catalogStore, () => follower ?? { textIndexBuild: async () => firstBuild }),
  );
  follower = await composeTextIndex(config, stores, {
    publish: (snapshot) => bus.publish("textIndex", snapshot),
    buildElsewhere: (rows) => bus.call("buildIndexPart", rows, { timeoutMs: buildTimeoutMs }),
    onSaveError: (error) => logger.error({ err: error }, "the text index was not kept for the next start"),
    onError: (error, what) => logger.error({ err: error }, what),
    onSearchCluster: (isReached, error) => {
      if (isReached) logger.info("OpenSearch can be reached");
      else logger.error({ err: error }, "OpenSearch cannot be reached");
      bus.publish("searchCluster", { isReached });
    },
    onBuild: (build) => {
      firstBuild = build;
      bus.publish("textIndexBuild", build && describeBuild(build));
    },
  });
  bus.publish("textIndexEpoch", epoch);
  const imagesReady = new Promise<void>((resolve) =>
    bus.subscribe("imagesMissing", (part) => part === undefined && resolve()),
  );
  const kinds = composeKindFollower(
    config,
    stores,
    (kinds) => bus.publish("kinds", kinds),
    (error) => logger.warn({ err: error }, "the kinds of the catalog cannot be read at the moment"),
    (signal) => Promise.race([imagesReady, pause(maxWaitForImagesMs, signal)]),
  );
  const { rebuildReason } = follower;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  logger.info({ seconds, rebuildReason }, rebuildReason ? "built the text index" : "opened the text index");
  follower.ended.catch(fail);
  kinds.ended.catch(fail);
  const stopping = new AbortController();
  const keeping = stores.keepLogShort?.(stopping.signal);
  return {
    async stop() {
      stopLooking?.();
      stopping.abort();
      await keeping;
      await kinds.stop();
      await follower.stop().finally(() => stores.close());
    },
  };
};

function createMetrics(
  catalogStore: Pick<CatalogStore, "lastSequence">,
  follower: () => Partial<Pick<TextIndexFollower, "searchableSequence" | "textIndexBuild">>,
): () => Promise<object[]> {
  const registry = new Registry();
  new Gauge({
    name: "product_search_catalog_changes_waiting",
    help: "Changes of the catalog that searches do not find yet. Absent while the database or OpenSearch cannot be read.",
    registers: [registry],
    async collect() {
      try {
        const found = await follower().searchableSequence?.();
        if (found !== undefined) this.set(Math.max(0, (await catalogStore.lastSequence()) - found));
      } catch {
        this.remove();
      }
    },
  });
  const help = "of an index in OpenSearch that is being built. Absent when none is.";
  const figures = {
    written_products: {
      help: `Products already written ${help}`,
      read: ({ written }: IndexBuild) => written,
    },
    products: { help: `All products ${help}`, read: ({ total }: IndexBuild) => total },
    start_time_seconds: { help: `Begin ${help}`, read: ({ sinceMs }: IndexBuild) => sinceMs / 1000 },
  };
  for (const [name, { help, read }] of Object.entries(figures)) {
    new Gauge({
      name: `product_search_text_index_build_${name}`,
      help,
      registers: [registry],
      async collect() {
        const build = await follower()
          .textIndexBuild?.()
          .catch(() => undefined);
        this.remove();
        if (build !== undefined) this.set(read(build));
      },
    });
  }
  return () => registry.getMetricsAsJSON();
}
