import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import {
  composeKindFollower,
  composeSearchByMeaning,
  type KindsOfCatalog,
} from "@product-search/api/compose/search/kinds.ts";
import { composeTextIndex } from "@product-search/api/compose/search/text-index.ts";
import { composeSqliteStores, type SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { type Config, readConfig } from "@product-search/api/config.ts";
import type { DeepSearchDeps } from "@product-search/deep-search/deep-search-deps.ts";
import { createBuiltInAnswerWriter } from "@product-search/deep-search/writers/built-in.ts";
import type { Snapshot } from "@product-search/text-index";
import { createEmbeddedTextSearch } from "@product-search/text-search/embedded.ts";

/** The dependencies of deep search in a service without a model, with direct access to the database. */
export type ShopPorts = DeepSearchDeps & Pick<SqliteStores, "catalogStore">;

const batchSize = 5000;

export interface Shop {
  ports: ShopPorts;
  close(): Promise<void>;
}

/** The sample catalog of that size, indexed, in a new folder: what a new service would search. */
export async function openShop(products: number, onProgress?: (loaded: number) => void): Promise<Shop> {
  const dataDir = mkdtempSync(join(tmpdir(), "product-search-deep-"));
  const config = readConfig({ DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "silent" });
  const stores = await composeSqliteStores(config);
  // No one else uses this database, and it need not survive a crash: large batches, no pauses, no flush to disk.
  stores.database.connection.pragma("synchronous = OFF");
  const settings = { currency: config.currency, nowMs: stores.clock.now() };
  for (let loaded = 0; loaded < products; loaded += batchSize) {
    const count = Math.min(batchSize, products - loaded);
    await stores.catalogStore.apply(
      Array.from({ length: count }, (_, at) => sampleProductInput(loaded + at, settings)),
    );
    onProgress?.(loaded + count);
  }
  const snapshots = new EventEmitter<{ snapshot: [Snapshot] }>();
  let latest: Snapshot | undefined;
  const follower = await composeTextIndex(config, stores, {
    publish(snapshot) {
      latest = snapshot;
      snapshots.emit("snapshot", snapshot);
    },
    onSaveError: fail,
    onError: fail,
    onSearchCluster: () => {},
  });
  while ((latest?.sequence ?? 0) < (await stores.catalogStore.lastSequence()))
    await once(snapshots, "snapshot");
  const kinds = await firstKinds(config, stores);
  const lexicalSearch = createEmbeddedTextSearch({
    subscribe: (receive) => {
      snapshots.on("snapshot", receive);
      if (latest !== undefined) receive(latest);
    },
  });
  const byMeaning = composeSearchByMeaning(lexicalSearch, (receive) => receive(kinds));
  const { catalogStore, clock } = stores;
  const { currency, publicUrl } = config;
  const ports = {
    ...byMeaning,
    catalogStore,
    clock,
    currency,
    publicUrl,
    builtInWriter: createBuiltInAnswerWriter(),
  };
  return {
    ports,
    async close() {
      await follower.stop();
      await stores.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function firstKinds(config: Config, stores: SqliteStores): Promise<KindsOfCatalog> {
  const { promise, resolve, reject } = Promise.withResolvers<KindsOfCatalog>();
  const follower = composeKindFollower(config, stores, resolve, reject);
  return promise.finally(() => follower.stop());
}

function fail(error: unknown): never {
  throw error;
}
