import { join } from "node:path";
import type { Snapshot } from "@product-search/text-index";
import { createSqliteAccountStore } from "./adapters/account-store/sqlite.ts";
import { createBuiltInAnswerWriter } from "./adapters/answer-writer/built-in.ts";
import { createLimitedAnswerWriter, defaultWriterLimits } from "./adapters/answer-writer/limited.ts";
import { createOpenAiCompatibleAnswerWriter } from "./adapters/answer-writer/openai-compatible.ts";
import { createSqliteCatalogStore } from "./adapters/catalog-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "./adapters/database/open.ts";
import { createOutbox } from "./adapters/database/outbox.ts";
import { createSqliteDeliveryQueue } from "./adapters/delivery-queue/sqlite.ts";
import { createSqliteIdempotencyStore } from "./adapters/idempotency-store/sqlite.ts";
import { createSqliteImportJournal } from "./adapters/import-journal/sqlite.ts";
import { createSamplePictures } from "./adapters/local-pictures/sample.ts";
import { createFeedSource } from "./adapters/marketplace-source/feed.ts";
import { createUndiciOutboundHttp } from "./adapters/outbound-http/undici.ts";
import { createAesGcmSecretBox } from "./adapters/secret-box/aes-gcm.ts";
import { createSqliteStagingArea } from "./adapters/staging/sqlite.ts";
import { createEmbeddedTextSearch } from "./adapters/text-search/embedded.ts";
import {
  type CatalogFollower,
  type FollowCatalogSettings,
  followCatalog,
} from "./adapters/text-search/follow-catalog.ts";
import { createSqliteWebhookStore } from "./adapters/webhook-store/sqlite.ts";
import { composeImagePorts, type ImageFeeds } from "./compose-images.ts";
import { liveMarketplaces } from "./compose-marketplace.ts";
import type { Config } from "./config.ts";
import type { ImportFeedDeps } from "./features/catalog/import/import-feed.ts";
import { type DeliverDeps, type Delivering, startDelivering } from "./features/webhooks/deliver.ts";
import type { Ports } from "./handlers.ts";
import type { AccountStore } from "./ports/account-store.ts";
import type { AnswerWriter } from "./ports/answer-writer.ts";
import type { CatalogStore } from "./ports/catalog-store.ts";
import { type Clock, systemClock } from "./ports/clock.ts";
import type { IdempotencyStore } from "./ports/idempotency-store.ts";
import type { LocalPictures } from "./ports/local-pictures.ts";
import type { Marketplace, MarketplaceSource } from "./ports/marketplace-source.ts";
import type { OutboundHttp } from "./ports/outbound-http.ts";
import type { SecretBox } from "./ports/secret-box.ts";
import type { WebhookStore } from "./ports/webhook-store.ts";

/** What every process and thread opens for itself: the store and what stands directly on it. */
export interface Stores {
  database: OpenDatabase;
  clock: Clock;
  secretBox: SecretBox;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  catalogStore: CatalogStore;
  webhookStore: WebhookStore;
  localPictures: LocalPictures;
  close(): Promise<void>;
}

export async function composeStores(config: Config, clock: Clock = systemClock): Promise<Stores> {
  const database = await openDatabase(config.dataDir);
  const { db, connection } = database;
  const secretBox = createAesGcmSecretBox(config);
  return {
    database,
    clock,
    secretBox,
    accountStore: createSqliteAccountStore({ db, clock }),
    idempotencyStore: createSqliteIdempotencyStore({ db, clock, secretBox }),
    catalogStore: createSqliteCatalogStore({ connection, clock, outbox: createOutbox(connection, config) }),
    webhookStore: createSqliteWebhookStore({ db, clock, secretBox }),
    localPictures: createSamplePictures(join(config.dataDir, "images", "sample")),
    close: () => database.close(),
  };
}

/** What a thread that answers requests has from the others. */
export interface Peers extends ImageFeeds {
  /** Hands over what the index thread publishes, now and later. */
  textIndex(receive: (snapshot: Snapshot) => void): void;
  /** The marketplace that a thread of its own asks. */
  liveMarketplace(marketplace: Marketplace): MarketplaceSource;
}

/** What the handlers of an HTTP thread use. */
export function composePorts(config: Config, stores: Stores, peers: Peers): Ports {
  const { clock, catalogStore } = stores;
  const { publicUrl, currency, secondhandSources } = config;
  const textSearch = createEmbeddedTextSearch({ subscribe: peers.textIndex });
  const live = liveMarketplaces(config);
  const source = (marketplace: Marketplace) =>
    live.includes(marketplace)
      ? peers.liveMarketplace(marketplace)
      : createFeedSource({ marketplace, textSearch, catalogStore });
  return {
    publicUrl,
    currency,
    clock,
    catalogStore,
    textSearch,
    marketplaceSources: {
      "marketplace-a": source("marketplace-a"),
      "marketplace-b": source("marketplace-b"),
    },
    secondhandSources,
    ...composePortsOfWebhooks(config, stores),
    builtInWriter: createBuiltInAnswerWriter(),
    modelWriter: composeModelWriter(config, clock),
    ...composeImagePorts(config, stores, peers),
  };
}

/** What the command line needs of them. */
export function composePortsOfWebhooks(
  config: Config,
  { webhookStore }: Stores,
): Pick<Ports, "webhookStore" | "webhookHttp"> {
  return { webhookStore, webhookHttp: composeWebhookHttp(config) };
}

/** The way out to webhooks: https, or plain http inside the networks that the operator allows. */
function composeWebhookHttp(config: Config): OutboundHttp {
  return createUndiciOutboundHttp({ allowNetworks: config.webhookAllowNetworks, httpsOnly: true });
}

/** Delivers webhooks until it is stopped; `stores` must be its own. */
export function composeDelivery(
  config: Config,
  { database, clock, secretBox }: Stores,
  watch: Pick<DeliverDeps, "onFault" | "onAttempt">,
): Delivering {
  const { connection } = database;
  const webhookHttp = composeWebhookHttp(config);
  const deliveryQueue = createSqliteDeliveryQueue({ connection, clock, secretBox });
  const delivering = startDelivering({ deliveryQueue, webhookHttp, clock, random: Math.random, ...watch });
  return {
    ...delivering,
    async stop() {
      await delivering.stop();
      await webhookHttp.close();
    },
  };
}

/** The limits hold for the whole process: each thread gets its share. */
function composeModelWriter({ llm, threads }: Config, clock: Clock): AnswerWriter | undefined {
  if (llm === undefined) return undefined;
  const { concurrentCalls, callsPerMinute, ...rest } = defaultWriterLimits;
  const limits = {
    ...rest,
    concurrentCalls: Math.max(1, Math.floor(concurrentCalls / threads)),
    callsPerMinute: Math.max(1, Math.floor(callsPerMinute / threads)),
  };
  return createLimitedAnswerWriter(createOpenAiCompatibleAnswerWriter(llm), limits, clock);
}

/** What an import needs; `stores` must be its own. */
export function composeImport(
  config: Config,
  { database: { db }, catalogStore, clock }: Stores,
): ImportFeedDeps & { importsFolder: string; close(): Promise<void> } {
  const importsFolder = join(config.dataDir, "imports");
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: false,
  });
  return {
    importsFolder,
    catalogStore,
    clock,
    currency: config.currency,
    importJournal: createSqliteImportJournal({ db, clock }),
    stagingArea: createSqliteStagingArea(importsFolder),
    outboundHttp,
    close: () => outboundHttp.close(),
  };
}

/** Keeps the text index abreast of the catalog; resolves when it is complete. */
export function composeTextIndex(
  config: Config,
  stores: Stores,
  parts: Pick<FollowCatalogSettings, "publish" | "onKeepFault">,
): Promise<CatalogFollower> {
  return followCatalog({ log: stores.catalogStore, folder: join(config.dataDir, "text-index"), ...parts });
}
