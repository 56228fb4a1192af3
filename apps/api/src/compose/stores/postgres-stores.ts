import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import { createPostgresAccountStore } from "@product-search/stores/account-store/account-store.ts";
import { createPostgresCatalogStore } from "@product-search/stores/catalog-store/postgres.ts";
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { markOfHistory } from "@product-search/stores/database/postgres/number-changes.ts";
import { openMigratedPostgres, openPostgres } from "@product-search/stores/database/postgres/open.ts";
import { createPostgresDeadLetters } from "@product-search/stores/dead-letters/dead-letters.ts";
import { createPostgresDeliveryQueue } from "@product-search/stores/delivery-queue/postgres.ts";
import { createSqlFeedSchedule } from "@product-search/stores/feed-schedule/feed-schedule.ts";
import {
  createSqlImportJournal,
  newLeaseOwner,
} from "@product-search/stores/import-journal/import-journal.ts";
import { createFencedDatabase } from "@product-search/stores/leases/fenced-database.ts";
import { createPostgresLeases } from "@product-search/stores/leases/postgres.ts";
import {
  createPostgresDayQuota,
  createPostgresSecondQuota,
} from "@product-search/stores/marketplace-quota/postgres.ts";
import {
  createPostgresProductImageStore,
  createSqliteProductImageStore,
} from "@product-search/stores/product-image-store/product-image-store.ts";
import { createPostgresRateBudget } from "@product-search/stores/rate-budget/postgres.ts";
import { createAesGcmSecretBox } from "@product-search/stores/secret-box/secret-keys.ts";
import { createSharedStagingArea } from "@product-search/stores/staging/shared.ts";
import { createSampleImages } from "../../adapters/local-images/sample.ts";
import type { Config } from "../../config.ts";
import { type NodeCopy, openNodeCopy } from "./node-copy.ts";
import { composeSqlStores } from "./sql-stores.ts";
import type { Stores } from "./store-types.ts";

/** A dead node is detected within this time, because nodes cannot see each other's processes. */
const importLeaseMs = 8000;

export interface PostgresConfig extends Config {
  databaseUrl: string;
}

/** The stores of a service thread or a command. Times come from the database's clock. */
export async function composePostgresStores(
  config: PostgresConfig,
  { mustExist = false }: { mustExist?: boolean } = {},
): Promise<Stores> {
  const open = isMainThread ? openPostgres : openMigratedPostgres;
  const { db, pool, clock, close } = await open({ url: config.databaseUrl, mustExist });
  // A command on an existing store searches nothing, and may run on a machine without DATA_DIR: it leaves no copy there.
  const nodeCopy = mustExist ? undefined : await openNodeCopy(config);
  const secretBox = createAesGcmSecretBox(config);
  const catalogStore = createPostgresCatalogStore({ db, clock, presentation: config });
  return {
    clock,
    secretBox,
    ...composeSqlStores({ db, clock, secretBox, config }),
    accountStore: createPostgresAccountStore({ db, clock }),
    feedSchedule: createSqlFeedSchedule({ db, clock, leaseMs: importLeaseMs }),
    cleanup(lease) {
      const fenced = createFencedDatabase(pool, lease);
      const { idempotencyStore, uploadedImages, writtenProducts, insightStore, auditLog } = composeSqlStores({
        db: fenced,
        clock,
        secretBox,
        config,
      });
      const deliveryQueue = createPostgresDeliveryQueue({ db: fenced, clock, secretBox });
      return {
        idempotencyStore,
        uploadedImageStore: uploadedImages(),
        writtenProducts,
        insightStore,
        auditLog,
        deliveryQueue,
      };
    },
    catalogStore,
    searchedCatalog: nodeCopy
      ? createSqliteCatalogStore({
          connection: nodeCopy.connection,
          clock,
          // Nothing writes through it.
          outbox: { record: () => undefined },
        })
      : catalogStore,
    untilChange: () => pause,
    untilSearchedChange: nodeCopy?.untilChange ?? (() => pause),
    deadLetters: createPostgresDeadLetters({ db, clock }),
    localImages: createSampleImages(join(config.dataDir, "images", "sample")),
    productImages: (lease) => {
      const own = lease === undefined ? db : createFencedDatabase(pool, lease);
      const written = createPostgresProductImageStore({ db: own, clock });
      return { written, searched: nodeCopy ? copiedImages(nodeCopy, clock, written) : written };
    },
    importParts(folder) {
      const importJournal = createSqlImportJournal({ db, clock, leaseMs: importLeaseMs });
      const stagingArea = createSharedStagingArea({ folder, db, owner: importJournal.owner });
      return { importJournal, stagingArea };
    },
    deliveryQueue: () => ({
      ...createPostgresDeliveryQueue({ db, clock, secretBox }),
      // Left to the holder of the cleanup lease.
      purge: async () => false,
    }),
    secondQuota: (marketplace) => createPostgresSecondQuota({ db, clock, marketplace }),
    dayQuota: (marketplace) => createPostgresDayQuota({ db, clock, marketplace }),
    markOfHistory: (log, sequence) => markOfHistory(db, log, sequence),
    leases: createPostgresLeases({ db, holder: newLeaseOwner(), onError: () => {} }),
    rateBudget: createPostgresRateBudget({ db, clock }),
    nodeCopy,
    async close() {
      await close();
      await nodeCopy?.close();
    },
  };
}

/** Reads this node's copy. Damaged or outdated data is removed from the copy and its indexes. */
function copiedImages({ db }: NodeCopy, clock: Clock, written: ProductImageStore): ProductImageStore {
  const copied = createSqliteProductImageStore({ db, clock });
  return {
    ...copied,
    async discardVectors(rowId, model, dimensions) {
      await written.discardVectors(rowId, model, dimensions);
      await copied.discardVectors(rowId, model, dimensions);
    },
    isDescribedBy: (model) => written.isDescribedBy(model),
    useModels: (models) => written.useModels(models),
    usedModels: () => written.usedModels(),
  };
}
