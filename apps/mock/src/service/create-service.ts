import { createBuiltInAnswerWriter } from "@product-search/deep-search/writers/built-in.ts";
import { createHandlers, type Ports } from "@product-search/features/handlers.ts";
import { createFeedSource } from "@product-search/features/marketplace-search/feed-source.ts";
import type { IdempotencyDeps } from "@product-search/http-rules/idempotency.ts";
import { createMemoryDatabase } from "@product-search/stores/database/memory/memory.ts";
import type { Language } from "@product-search/text-index";
import { changeProduct, type ProductChange } from "./change-product.ts";
import { composeStores } from "./compose-stores.ts";
import { createIdentifiers, type Identifiers } from "./identifiers.ts";
import { createImagePorts } from "./image-ports.ts";
import { loadCatalog } from "./load-catalog.ts";
import { createOutboundHttp } from "./outbound-http.ts";
import type { SamplePictures } from "./sample-pictures.ts";
import { createClock, currency, type ServiceSettings, type SteppedClock } from "./settings.ts";
import { startDeliveries } from "./start-deliveries.ts";
import { createStateKeeper } from "./state-keeper.ts";
import { createFollowedTextIndex } from "./text-index.ts";

/** Of the installed package: the words of the language and the drawn pictures. */
export interface ServiceData {
  language: Language;
  pictures: SamplePictures;
}

export interface Service extends IdempotencyDeps {
  handlers: ReturnType<typeof createHandlers>;
  clock: SteppedClock;
  identifiers: Identifiers;
  /** Settles when searches see everything. */
  ready(): Promise<void>;
  change(change: ProductChange): ReturnType<typeof changeProduct>;
  readPicture(address: string): Uint8Array | undefined;
  /** The state is worth keeping: called after every request that may have changed it. */
  touch(): void;
  stop(): Promise<void>;
}

/** The service's own features over stores in memory, with the sample catalog in them. */
export async function createService(
  publicUrl: string,
  settings: ServiceSettings,
  { language, pictures }: ServiceData,
): Promise<Service> {
  const database = createMemoryDatabase();
  const keeper = createStateKeeper(database, settings);
  const clock = createClock(
    keeper.seed,
    () => database.tables.counters.get("requests") ?? 0,
    () => database.next("requests"),
  );
  const identifiers = createIdentifiers(keeper.seed, () => database.next("draws"));
  const presentation = { publicUrl, currency };
  const stores = composeStores({ database, clock, identifiers, presentation });
  await loadCatalog(database, keeper.begin(clock), keeper.changes);
  keeper.restore();

  const { textSearch, follow } = createFollowedTextIndex(stores.catalogStore, language);
  const webhookHttp = createOutboundHttp();
  const feed = (marketplace: "marketplace-a" | "marketplace-b") =>
    createFeedSource({ marketplace, textSearch, catalogStore: stores.catalogStore });
  const catalog = database.tables.products.values().filter(({ source }) => source === "catalog");
  const ports: Ports = {
    ...presentation,
    ...stores,
    ...createImagePorts(catalog, pictures),
    clock,
    textSearch,
    marketplaceSources: { "marketplace-a": feed("marketplace-a"), "marketplace-b": feed("marketplace-b") },
    secondhandSources: [],
    webhookHttp,
    newSigningKey: identifiers.newSigningKey,
    builtInWriter: createBuiltInAnswerWriter(),
  };
  const worker = startDeliveries(
    { database, webhookHttp, onAttempt: keeper.touch },
    { ...settings, seed: keeper.seed },
  );
  return {
    ...stores,
    handlers: createHandlers(ports),
    clock,
    identifiers,
    ready: follow,
    async change(change) {
      const changed = await changeProduct(stores.catalogStore, change);
      keeper.note({ ...change, atMs: changed.current.updatedAtMs });
      await follow();
      return changed;
    },
    readPicture: (address) => pictures.read(address),
    touch: keeper.touch,
    async stop() {
      await worker.stop();
      keeper.save();
    },
  };
}
