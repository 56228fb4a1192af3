import type { AccountStore } from "@product-search/core/ports/account-store.ts";
import type { AuditLog } from "@product-search/core/ports/audit-log.ts";
import type { CatalogReads, CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ColumnMapStore } from "@product-search/core/ports/column-map-store.ts";
import type { DayQuota } from "@product-search/core/ports/day-quota.ts";
import type { DeadLetters } from "@product-search/core/ports/dead-letters.ts";
import type { DeliveryQueue } from "@product-search/core/ports/delivery-queue.ts";
import type { FeedSchedule } from "@product-search/core/ports/feed-schedule.ts";
import type { IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import type { ImportJournal } from "@product-search/core/ports/import-journal.ts";
import type { InsightStore } from "@product-search/core/ports/insight-store.ts";
import type { Lease, Leases } from "@product-search/core/ports/leases.ts";
import type { LocalImages } from "@product-search/core/ports/local-images.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { PeopleStore } from "@product-search/core/ports/people-store.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { RateBudget } from "@product-search/core/ports/rate-budget.ts";
import type { RuleStore } from "@product-search/core/ports/rule-store.ts";
import type { SecondQuota } from "@product-search/core/ports/second-quota.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { StagingArea } from "@product-search/core/ports/staging.ts";
import type { StoreCurrency } from "@product-search/core/ports/store-currency.ts";
import type { SynonymStore } from "@product-search/core/ports/synonym-store.ts";
import type { ServiceTransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { UntilChange } from "@product-search/core/ports/until-change.ts";
import type { UploadedImageStore } from "@product-search/core/ports/uploaded-image-store.ts";
import type { WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import type { WrittenProducts } from "@product-search/core/ports/written-products.ts";
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
