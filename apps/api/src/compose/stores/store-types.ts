import { existsSync } from "node:fs";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { AccountStore, AuditLog, PeopleStore } from "@product-search/core/ports/accounts.ts";
import type { CatalogReads, CatalogStore, StoreCurrency } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import type {
  LocalImages,
  ProductImageStore,
  UploadedImageStore,
} from "@product-search/core/ports/images.ts";
import type {
  ColumnMapStore,
  FeedSchedule,
  ImportJournal,
  StagingArea,
  WrittenProducts,
} from "@product-search/core/ports/imports.ts";
import type { InsightStore } from "@product-search/core/ports/insights.ts";
import type { Lease, Leases } from "@product-search/core/ports/leases.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { RuleStore, SynonymStore } from "@product-search/core/ports/merchandising.ts";
import type { DayQuota, RateBudget, SecondQuota } from "@product-search/core/ports/quotas.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { ServiceTransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { DeadLetters, DeliveryQueue, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { openDatabase, storeFile } from "@product-search/stores/database/open.ts";
import { openPostgres } from "@product-search/stores/database/postgres/open.ts";
import { secretKeyFile } from "@product-search/stores/secret-box/secret-keys.ts";
import {
  type MigratedResult,
  type MigrationProgress,
  migrateStore,
} from "@product-search/stores/store-migration/migrate-store.ts";
import type { Config } from "../../config.ts";
import type { NodeCopy } from "./node-copy.ts";

/** The stores that every process and thread opens for itself. */
export interface Stores {
  clock: Clock;
  secretBox: SecretBox;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  /** For the holder of the cleanup lease. */
  cleanup(lease: Lease): CleanupStores;
  unitOfWork: UnitOfWork<ServiceTransactionStores>;
  /** The source of truth, which imports read and write. */
  catalogStore: CatalogStore;
  /** What searches and indexes read: the same, or this node's copy of it. */
  searchedCatalog: CatalogReads;
  /** Of the source of truth. Each follower has its own. */
  untilChange(): UntilChange;
  /** Of what searches and indexes read. */
  untilSearchedChange(): UntilChange;
  peopleStore: PeopleStore;
  webhookStore: WebhookStore;
  deadLetters: DeadLetters;
  feedSchedule: FeedSchedule;
  synonymStore: SynonymStore;
  ruleStore: Pick<RuleStore, "version" | "read" | "history">;
  writtenProducts: WrittenProducts;
  insightStore: InsightStore;
  storeCurrency: StoreCurrency;
  columnMaps: ColumnMapStore;
  auditLog: Pick<AuditLog, "list" | "removeAddresses">;
  localImages: LocalImages;
  uploadedImages(): UploadedImageStore;
  /** With a lease, writes are refused after another node has got the lease. */
  productImages(lease?: Lease): ProductImages;
  /** One owner of the import lease, and the sealed feeds that it may find. */
  importParts(folder: string): { importJournal: ImportJournal; stagingArea: StagingArea };
  /** The queue of one worker. */
  deliveryQueue(): DeliveryQueue;
  dayQuota(marketplace: Marketplace): DayQuota;
  /** Only with several nodes; a process alone keeps its own. */
  secondQuota?(marketplace: Marketplace): SecondQuota;
  /** Tells the history up to a change from that of a database restored from a backup, which gives the same numbers again. */
  markOfHistory(log: "changes" | "vector_changes", sequence: number): Promise<string>;
  /** Who does what only one node may do. */
  leases: Leases;
  /** Only with several nodes: the rate limits that they share. */
  rateBudget: RateBudget | undefined;
  /** Only with several nodes: the data on this node's own disk. */
  nodeCopy: NodeCopy | undefined;
  /** Only with SQLite: for one part of a service, because the threads for requests do not do it. Until the signal. */
  keepLogShort?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What expires. Purges are refused after another node has got the lease. */
export interface CleanupStores {
  idempotencyStore: Pick<IdempotencyStore, "removeExpired">;
  uploadedImageStore: Pick<UploadedImageStore, "removeExpired">;
  writtenProducts: Pick<WrittenProducts, "removeExpired">;
  insightStore: Pick<InsightStore, "removeBefore">;
  auditLog: Pick<AuditLog, "removeAddresses">;
  /** Only with several nodes; else the delivery worker purges between deliveries. */
  deliveryQueue?: Pick<DeliveryQueue, "purge">;
}

export interface ProductImages {
  /** The source of truth, to which descriptors are written. */
  written: ProductImageStore;
  /** What the vector index follows: the same, or this node's copy of it. */
  searched: ProductImageStore;
}

export type { MigrationProgress } from "@product-search/stores/store-migration/migrate-store.ts";

interface StoreMigration extends MigratedResult {
  /** The file whose content is needed as SECRET_KEY from now on; undefined if the setting was used before. */
  secretKeyFile: string | undefined;
}

/** Counting hundreds of millions of rows takes minutes. */
const statementTimeoutMs = 3600 * 1000;

/** Copies the SQLite store in DATA_DIR to PostgreSQL. */
export async function composeStoreMigration(
  config: Pick<Config, "dataDir" | "secretKey">,
  url: string,
  onProgress: (progress: MigrationProgress) => void,
): Promise<StoreMigration> {
  const file = storeFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`${file} does not exist: set DATA_DIR to the folder of the store.`);
  const { connection, close } = await openDatabase(config.dataDir);
  try {
    const target = await openPostgres({ url, maxConnections: 1, statementTimeoutMs });
    try {
      const result = await migrateStore({ connection, db: target.db, onProgress });
      const keyFile = secretKeyFile(config);
      const usesFile = config.secretKey === undefined && existsSync(keyFile);
      return { ...result, secretKeyFile: usesFile ? keyFile : undefined };
    } finally {
      await target.close();
    }
  } finally {
    await close();
  }
}
