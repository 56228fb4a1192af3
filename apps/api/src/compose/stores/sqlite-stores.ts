import { join } from "node:path";
import { type Clock, systemClock } from "@product-search/core/ports/clock.ts";
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { type OpenDatabase, type OpenOptions, openDatabase } from "@product-search/stores/database/open.ts";
import { createOutbox } from "@product-search/stores/database/outbox.ts";
import { createSqliteDeadLetters } from "@product-search/stores/dead-letters/dead-letters.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { createSqlImportJournal } from "@product-search/stores/import-journal/import-journal.ts";
import { createSingleNodeLeases } from "@product-search/stores/leases/single-node.ts";
import { createSqlDayQuota } from "@product-search/stores/marketplace-quota/day-quota.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { createAesGcmSecretBox } from "@product-search/stores/secret-box/secret-keys.ts";
import { createSqliteStagingArea } from "@product-search/stores/staging/sqlite.ts";
import { createSampleImages } from "../../adapters/local-images/sample.ts";
import type { Config } from "../../config.ts";
import { composeSqlStores } from "./sql-stores.ts";
import type { Stores } from "./store-types.ts";

export interface SqliteStores extends Stores {
  database: OpenDatabase;
}

export async function composeSqliteStores(
  config: Config,
  clock: Clock = systemClock,
  options: OpenOptions = {},
): Promise<SqliteStores> {
  const database = await openDatabase(config.dataDir, options);
  const { db, connection } = database;
  const secretBox = createAesGcmSecretBox(config);
  const catalogStore = createSqliteCatalogStore({
    connection,
    clock,
    outbox: createOutbox(connection, config),
  });
  const sqlStores = composeSqlStores({ db, clock, secretBox, config });
  return {
    database,
    clock,
    secretBox,
    ...sqlStores,
    cleanup: () => ({
      idempotencyStore: sqlStores.idempotencyStore,
      uploadedImageStore: sqlStores.uploadedImages(),
      writtenProducts: sqlStores.writtenProducts,
      insightStore: sqlStores.insightStore,
      auditLog: sqlStores.auditLog,
    }),
    catalogStore,
    searchedCatalog: catalogStore,
    untilChange: database.untilChange,
    untilSearchedChange: database.untilChange,
    deadLetters: createSqliteDeadLetters({ db, clock }),
    localImages: createSampleImages(join(config.dataDir, "images", "sample")),
    productImages() {
      const store = createSqliteProductImageStore({ db, clock });
      return { written: store, searched: store };
    },
    importParts: (folder) => ({
      importJournal: createSqlImportJournal({ db, clock }),
      stagingArea: createSqliteStagingArea(folder),
    }),
    deliveryQueue: () => createSqliteDeliveryQueue({ connection, db, clock, secretBox }),
    dayQuota: (marketplace) => createSqlDayQuota({ db, clock, marketplace }),
    // The indexes are on the same machine and detect a restored database themselves.
    markOfHistory: async () => "here",
    leases: createSingleNodeLeases(),
    rateBudget: undefined,
    nodeCopy: undefined,
    keepLogShort: database.keepLogShort,
    close: () => database.close(),
  };
}
