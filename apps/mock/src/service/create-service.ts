import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { createRuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { createVersionReader } from "@product-search/core/mechanisms/versions.ts";
import type { Account } from "@product-search/core/ports/accounts.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { type Clock, systemClock } from "@product-search/core/ports/clock.ts";
import type {
  Descriptor,
  FoundObject,
  ProductImageStore,
  VectorSearch,
  VisionModel,
} from "@product-search/core/ports/images.ts";
import { type Marketplace, marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { SynonymStore } from "@product-search/core/ports/merchandising.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { DeliveryQueue, TaskResult, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { createBuiltInAnswerWriter } from "@product-search/deep-search/writers/built-in.ts";
import { createHandlers, type Ports } from "@product-search/features/handlers.ts";
import { createFeedSource } from "@product-search/features/marketplace-search/search-marketplace.ts";
import {
  type DeliveryWorker,
  startDeliveryWorker,
} from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import type { IdempotencyDeps } from "@product-search/http-rules/idempotency.ts";
import { sampleProductInputs } from "@product-search/sample-catalog/sample-products.ts";
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { createOutbox } from "@product-search/stores/database/outbox.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { createSqlIdempotencyStore } from "@product-search/stores/idempotency-store/idempotency-store.ts";
import { createSqlInsightStore } from "@product-search/stores/insight-store/insight-store.ts";
import { createSqlRuleStore } from "@product-search/stores/rule-store/rule-store.ts";
import { createSqlSynonymStore } from "@product-search/stores/synonym-store/synonym-store.ts";
import { createSqlUnitOfWork } from "@product-search/stores/unit-of-work/unit-of-work.ts";
import { createSqlUploadedImageStore } from "@product-search/stores/uploaded-image-store/uploaded-image-store.ts";
import { createSqlWebhookStore } from "@product-search/stores/webhook-store/webhook-store.ts";
import type { Language, Snapshot } from "@product-search/text-index";
import { applyChanges, chooseAll, shortestPause } from "@product-search/text-search/apply-changes.ts";
import { rebuild } from "@product-search/text-search/build-index.ts";
import type { CatalogLog } from "@product-search/text-search/catalog-log.ts";
import { createEmbeddedTextSearch } from "@product-search/text-search/embedded.ts";
import type { SynonymsOf } from "@product-search/text-search/newest-index.ts";
import { createSynonymEditor } from "@product-search/text-search/synonyms/edit-synonyms.ts";
import { createSynonymReader } from "@product-search/text-search/synonyms/follow-synonyms.ts";
import { changeProduct, type ProductChange } from "./change-product.ts";
import { createIdentifiers, type Identifiers, type SampleImages } from "./identifiers.ts";
import { createOutboundHttp, failFirst } from "./outbound-http.ts";
import { createMockCounter } from "./search-counter.ts";
import {
  boostFactor,
  createClock,
  currency,
  outOfStockLast,
  productCount,
  type ServiceSettings,
  type SteppedClock,
} from "./settings.ts";
import { openState, type State } from "./state-file.ts";

/**
 * The mock looks at no image. It knows the images of its own catalog by their bytes; every other image is like the same few
 * products. A vector is the row of the product that shows the image, 0 for any other image.
 */
const model = "mock";

const maxPixels = 25_000_000;

/** Of any other image, and of the products after the one that shows an image. */
const otherProducts = 10;

const highest = 0.9;

const step = 0.02;

const imageLifetimeMs = 30 * 24 * 3600 * 1000;

/** Not secret: the same image has the same slug in every mock. */
const slugKey = async () => new TextEncoder().encode("mock");

/** The mock keeps no secrets. */
const secretBox: SecretBox = {
  seal: (text) => Buffer.from(text),
  open: (sealed) => Buffer.from(sealed).toString(),
};

/** Of the installed package: the words of the language and the drawn images. */
export interface ServiceData {
  language: Language;
  images: SampleImages;
}

export interface Service extends IdempotencyDeps, Presentation {
  catalogStore: CatalogStore;
  webhookStore: WebhookStore;
  textSearch: TextSearch;
  handlers: ReturnType<typeof createHandlers>;
  clock: SteppedClock;
  identifiers: Identifiers;
  /** What an account writes refers to it. */
  addAccount(account: Account): void;
  /** Settles when searches see everything. */
  ready(): Promise<void>;
  change(change: ProductChange): ReturnType<typeof changeProduct>;
  readImage(address: string): Uint8Array | undefined;
  stop(): Promise<void>;
}

/** The service's own features over its SQLite stores, in memory or in a file, with the sample catalog in them. */
export async function createService(
  publicUrl: string,
  settings: ServiceSettings,
  { language, images }: ServiceData,
): Promise<Service> {
  const state = await openState(settings);
  const { db, connection, seed } = state;
  const clock = createClock(
    seed,
    () => state.count("requests"),
    () => state.next("requests"),
  );
  const identifiers = createIdentifiers(seed, () => state.next("draws"));
  const presentation = { publicUrl, currency };
  const stores = composeStores({ state, clock, identifiers, presentation });
  const { catalogStore } = stores;
  if ((await catalogStore.lastRowId()) === 0)
    await catalogStore.apply([...sampleProductInputs(productCount, { currency, nowMs: clock.now() })]);

  const ruleStore = createSqlRuleStore({ db, clock });
  let rules = createRuleTable([], [language]);
  const readRules = createVersionReader(ruleStore, (stored) => {
    rules = rules.with(stored.rules, stored.version);
    return stored.version;
  });
  const synonymStore = createSqlSynonymStore({ db });
  const { textSearch, follow } = createFollowedTextIndex(catalogStore, synonymStore, language);
  const insightStore = createSqlInsightStore({ db, clock });
  const webhookHttp = createOutboundHttp();
  const feed = (marketplace: Marketplace) => createFeedSource({ marketplace, textSearch, catalogStore });
  const products = await catalogStore.scan(0, await catalogStore.lastRowId());
  const catalog = products.filter(({ source }) => source === "catalog");
  const ports: Ports = {
    ...presentation,
    ...stores,
    ...createImagePorts(catalog, images),
    catalogWrites: catalogStore,
    // The mock imports no feeds.
    writtenProducts: { note: async () => {} },
    // It has one currency.
    storeCurrency: { record: async () => currency },
    clock,
    textSearch,
    marketplaceSources: recordOf(marketplaces, feed),
    secondhandSources: [],
    webhookHttp,
    newSigningKey: identifiers.newSigningKey,
    insightStore,
    boostFactor,
    outOfStockLast,
    searchCounter: createMockCounter({ insightStore, identifiers, clock }),
    ruleStore,
    rules: () => rules,
    synonymEditor: createSynonymEditor(synonymStore, async () => [language]),
    builtInWriter: createBuiltInAnswerWriter(),
  };
  const worker = startDeliveries({ state, webhookHttp }, { ...settings, seed });
  const addAccount = connection.prepare<[string, string, number]>(
    "insert or ignore into accounts (id, name, created_at) values (?, ?, ?)",
  );
  const ready = async () => {
    await follow();
    await readRules();
  };
  return {
    textSearch,
    ...presentation,
    ...stores,
    handlers: createHandlers(ports),
    clock,
    identifiers,
    addAccount: ({ id }) => void addAccount.run(id, id, clock.now()),
    ready,
    async change(change) {
      const changed = await changeProduct(catalogStore, change);
      await follow();
      return changed;
    },
    readImage: (address) => images.read(address),
    async stop() {
      await worker.stop();
      // What has begun at the start reads from the database.
      await ready();
      await state.close();
    },
  };
}

interface StoreSettings {
  state: State;
  clock: Clock;
  identifiers: Identifiers;
  presentation: Presentation;
}

/** The stores of the service over one database. */
function composeStores({ state: { db, connection }, clock, identifiers, presentation }: StoreSettings) {
  const { newId } = identifiers;
  return {
    catalogStore: createSqliteCatalogStore({
      connection,
      clock,
      outbox: createOutbox(connection, presentation, newId),
    }),
    webhookStore: createSqlWebhookStore({ db, clock, secretBox, newId }),
    idempotencyStore: createSqlIdempotencyStore({ db, clock, secretBox }),
    uploadedImageStore: createSqlUploadedImageStore({ db, clock, slugKey, lifetimeMs: imageLifetimeMs }),
    unitOfWork: createSqlUnitOfWork({
      db,
      bind: (transaction) => ({
        webhookStore: createSqlWebhookStore({ db: transaction, clock, secretBox, newId }),
        idempotencyStore: createSqlIdempotencyStore({ db: transaction, clock, secretBox }),
        synonymStore: createSqlSynonymStore({ db: transaction, newId }),
        ruleStore: createSqlRuleStore({ db: transaction, clock, newId }),
        // No operation reads it.
        audit: { record: async () => {} },
      }),
    }),
  };
}

type ImagePorts = {
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
};

/** `products` are those of the catalog, in the order of their rows. */
function createImagePorts(products: readonly StoredProduct[], images: SampleImages): ImagePorts {
  const rowOf = new Map<string, number>();
  for (const { rowId, images } of products)
    for (const image of images) if (!rowOf.has(image)) rowOf.set(image, rowId);
  const describe = (bytes: Uint8Array): Descriptor => {
    const address = images.addressOf(bytes);
    return { model, vector: Float32Array.of((address && rowOf.get(address)) || 0) };
  };
  return {
    visionModel: {
      async describe(bytes) {
        readSize(bytes);
        return describe(bytes);
      },
      detect: async (bytes) => [wholeImage(bytes, describe(bytes), products, images)],
    },
    vectorSearch: {
      model: () => model,
      typicalSimilarity: () => 0,
      search: async ({ vector: [rowId = 0], limit, minSimilarity }) =>
        rank(products, rowId)
          .filter(({ similarity }) => similarity >= minSimilarity)
          .slice(0, limit),
    },
    productImageStore: {
      vectorsOf: async (rowIds) => rowIds.map((rowId) => ({ rowId, vectors: [Float32Array.of(rowId)] })),
    },
  };
}

/** The product that shows the image, then others of its category, then any others. */
function rank(products: readonly StoredProduct[], rowId: number) {
  const shown = products.find((product) => product.rowId === rowId);
  const others = products.filter((product) => product !== shown);
  const alike = others.filter(({ category }) => shown !== undefined && category === shown.category);
  const rest = others.filter((product) => !alike.includes(product));
  const ranked = [...alike, ...rest].slice(0, otherProducts);
  return [
    ...(shown ? [{ rowId: shown.rowId, similarity: 1 }] : []),
    ...ranked.map((product, index) => ({ rowId: product.rowId, similarity: highest - index * step })),
  ];
}

/** One object that fills the image; its crop is the image itself, or the first one of the catalog for any other image. */
function wholeImage(
  bytes: Uint8Array,
  descriptor: Descriptor,
  products: readonly StoredProduct[],
  images: SampleImages,
): FoundObject {
  const size = readSize(bytes);
  const [rowId = 0] = descriptor.vector;
  const product = products.find((one) => one.rowId === rowId) ?? products[0];
  const crop = rowId > 0 ? bytes : (images.read(product?.images[0] ?? "") ?? bytes);
  return {
    name: product?.category?.toLowerCase() ?? "object",
    confidence: 0.9,
    box: { x: 0, y: 0, ...size },
    crop,
    descriptor,
  };
}

/** Only the header is looked at: the mock decodes no image. */
function readSize(bytes: Uint8Array) {
  const size = imageSize(bytes);
  if (size === undefined || size.width === 0 || size.height === 0)
    throw new ApiError(
      "invalid_image",
      "the bytes are not a readable image. Send a complete JPEG, PNG, WebP, AVIF or GIF file.",
    );
  if (size.width * size.height > maxPixels)
    throw new ApiError(
      "payload_too_large",
      `the image has ${size.width} × ${size.height} pixels; at most ${maxPixels} are allowed. Scale it down.`,
    );
  return size;
}

interface ImageSize {
  width: number;
  height: number;
}

/** The size that an image's header names; undefined for bytes that are none of the formats that the service reads. */
function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number, length: number) =>
    Buffer.from(bytes.subarray(start, start + length)).toString("latin1");
  try {
    if (text(0, 8) === "\x89PNG\r\n\x1a\n") return { width: view.getUint32(16), height: view.getUint32(20) };
    if (/^GIF8[79]a/.test(text(0, 6)))
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (text(0, 2) === "\xff\xd8") return jpegSize(view);
    if (text(0, 4) === "RIFF" && text(8, 4) === "WEBP") return webpSize(view, text(12, 4));
    if (text(4, 8) === "ftypavif" || text(4, 8) === "ftypavis") return avifSize(view, text(0, bytes.length));
  } catch (error) {
    // A header that breaks off.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** From segment to segment until the one that begins a frame. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

function webpSize(view: DataView, format: string): ImageSize | undefined {
  if (format === "VP8X")
    return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 };
  if (format === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (format !== "VP8 ") return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** The first property box with a spatial extent. */
function avifSize(view: DataView, text: string): ImageSize | undefined {
  const at = text.indexOf("ispe");
  return at === -1 ? undefined : { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
}

interface DeliveryDeps {
  state: State;
  webhookHttp: OutboundHttp;
}

/**
 * Delivers with the service's own worker. Its clock is the real one, also in a mock with a seed: who verifies a signature
 * compares its time with the present.
 */
function startDeliveries(
  { state: { connection, db }, webhookHttp }: DeliveryDeps,
  { speed, failDeliveries, seed }: ServiceSettings,
): DeliveryWorker {
  const clock: Clock = systemClock;
  const purged = createSqliteDeliveryQueue({ connection, db, clock, secretBox });
  // The times of a seed are long past: by the real clock every delivery would be old enough to be deleted.
  const queue = seed === undefined ? purged : { ...purged, purge: async () => false };
  return startDeliveryWorker({
    deliveryQueue: speed === 1 ? queue : speedUpRetries(queue, speed, clock),
    webhookHttp: failDeliveries > 0 ? failFirst(webhookHttp, failDeliveries) : webhookHttp,
    clock,
    random: Math.random,
    onError: (error) => console.error(`A delivery failed: ${error}`),
  });
}

/** The same queue, whose retries come `speed` times sooner than planned: hours of waiting fit into a test. */
function speedUpRetries(queue: DeliveryQueue, speed: number, clock: Clock): DeliveryQueue {
  const sooner = (atMs: number): number => {
    const nowMs = clock.now();
    return nowMs + Math.round((atMs - nowMs) / speed);
  };
  const speedUp = ({ task, attempt }: TaskResult): TaskResult => {
    if (attempt === undefined) return { task };
    return attempt.verdict === "retry" || attempt.verdict === "unsent"
      ? { task, attempt: { ...attempt, atMs: sooner(attempt.atMs) } }
      : { task, attempt };
  };
  return {
    ...queue,
    exchange: (results, requested, failingSinceMs) =>
      queue.exchange(results.map(speedUp), requested, failingSinceMs),
  };
}

interface FollowedTextIndex {
  textSearch: TextSearch;
  /** Settles when searches see every change that was made so far. */
  follow(): Promise<void>;
}

/** The service's own index over the catalog. It is built when it is first followed. */
function createFollowedTextIndex(
  log: CatalogLog,
  synonymStore: SynonymStore,
  language: Language,
): FollowedTextIndex {
  let receive: (snapshot: Snapshot) => void = () => {};
  let receiveSynonyms: (synonymsOf: SynonymsOf) => void = () => {};
  const readSynonyms = createSynonymReader(synonymStore, (synonymsOf) => receiveSynonyms(synonymsOf));
  const textSearch = createEmbeddedTextSearch({
    languages: [language],
    synonyms: (subscriber) => {
      receiveSynonyms = subscriber;
    },
    subscribe: (subscriber) => {
      receive = subscriber;
    },
  });
  const publish = (snapshot: Snapshot) => receive(snapshot);
  const build = async () => {
    const built = await rebuild(log, chooseAll, [language]);
    publish(built.writer.snapshot);
    return built;
  };
  let building: ReturnType<typeof build> | undefined;
  let last: Promise<void> = Promise.resolve();
  const catchUp = async () => {
    building ??= build();
    const { writer, facets } = await building;
    while (await applyChanges(log, writer, publish, shortestPause, chooseAll, [language], facets));
    await readSynonyms();
  };
  return {
    textSearch,
    follow() {
      last = last.then(catchUp);
      return last;
    },
  };
}
