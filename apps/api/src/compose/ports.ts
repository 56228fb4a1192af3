import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { inTurn } from "@product-search/core/mechanisms/fair-queue.ts";
import type { AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  ProductImageStore,
  UploadedImageStore,
  VectorSearch,
  VisionModel,
} from "@product-search/core/ports/images.ts";
import type { SearchCounter } from "@product-search/core/ports/insights.ts";
import {
  type Marketplace,
  type MarketplaceSource,
  marketplaces,
} from "@product-search/core/ports/marketplace-source.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import { createBuiltInAnswerWriter } from "@product-search/deep-search/writers/built-in.ts";
import {
  createLimitedAnswerWriter,
  defaultWriterLimits,
} from "@product-search/deep-search/writers/limited.ts";
import { createOpenAiCompatibleAnswerWriter } from "@product-search/deep-search/writers/openai-compatible.ts";
import {
  filterCatalog,
  filterMarketplace,
  filterTextSearch,
  filterVectorSearch,
} from "@product-search/features/catalog-search/token-filter.ts";
import type { Ports } from "@product-search/features/handlers.ts";
import { createFeedSource } from "@product-search/features/marketplace-search/search-marketplace.ts";
import { createSiteContent } from "@product-search/features/site/create-site-content.ts";
import { keepProducts } from "@product-search/stores/catalog-store/kept-products.ts";
import { createUsearchVectorSearch } from "../adapters/vector-search/usearch.ts";
import type { VectorSegments } from "../adapters/vector-search/vector-file.ts";
import { createVisionPool, type VisionPoolSettings } from "../adapters/vision-model/pool.ts";
import type { Config } from "../config.ts";
import { liveMarketplaces } from "./live-marketplaces.ts";
import { composeRuleTable, composeSynonymEditor } from "./merchandising.ts";
import { composeEmbeddedSearch, type IndexFeeds, type LongSearch } from "./search/embedded.ts";
import { composeSearchByMeaning, type KindsOfCatalog } from "./search/kinds.ts";
import type { SearchCluster, SearchedVectors } from "./search/search-cluster-types.ts";
import type { Stores } from "./stores/stores.ts";
import { wrapCalls } from "./trace-ports.ts";
import { composePortsOfWebhooks } from "./webhooks.ts";

/** What an HTTP thread gets from other threads. */
export interface Peers extends ImageFeeds, IndexFeeds {
  /** Passes on the kinds of the catalog, now and later. */
  kinds?(receive: (kinds: KindsOfCatalog) => void): void;
  /** The newest rules. Default: none. */
  rules?(): RuleTable;
  /** Absent when nothing is counted. */
  searchCounter?: SearchCounter | undefined;
  /** Where SEARCH_URL is set: products and images are searched there. */
  searchCluster?: SearchCluster | undefined;
  /** For what takes too long here. Default: it is finished here. */
  longSearch?: LongSearch | undefined;
  /** The marketplace, which is called by its own thread. */
  liveMarketplace(marketplace: Marketplace): MarketplaceSource;
}

/** The ports for the handlers of an HTTP thread. */
export function composePorts(config: Config, stores: Stores, peers: Peers): Ports {
  const { clock } = stores;
  const { searchedCatalog } = stores;
  const { publicUrl, currency, secondhandSources, fetchAllowNetworks } = config;
  const noRules = composeRuleTable(config);
  const lexicalSearch =
    peers.searchCluster?.textSearch(peers.textIndex, peers.synonyms) ??
    composeEmbeddedSearch(peers, peers.longSearch);
  const { textSearch: wholeSearch, kindFinder } = composeSearchByMeaning(lexicalSearch, (receive) =>
    peers.kinds?.(receive),
  );
  const textSearch = inTurns(filterTextSearch(wholeSearch));
  const catalogStore = inTurns(
    filterCatalog({ ...searchedCatalog, findWithHistory: keepProducts(searchedCatalog) }, wholeSearch),
  );
  const live = liveMarketplaces(config);
  const source = (marketplace: Marketplace) =>
    live.includes(marketplace)
      ? inTurns(filterMarketplace(peers.liveMarketplace(marketplace), wholeSearch))
      : createFeedSource({ marketplace, textSearch, catalogStore });
  const images = composeImagePorts(stores, peers);
  return {
    publicUrl,
    currency,
    clock,
    catalogStore,
    catalogWrites: stores.catalogStore,
    writtenProducts: stores.writtenProducts,
    storeCurrency: stores.storeCurrency,
    textSearch,
    kindFinder,
    marketplaceSources: recordOf(marketplaces, source),
    secondhandSources,
    fetchAllowNetworks,
    insightStore: stores.insightStore,
    boostFactor: config.boostFactor,
    outOfStockLast: config.outOfStock === "last",
    searchCounter: peers.searchCounter,
    ruleStore: stores.ruleStore,
    rules: peers.rules ?? (() => noRules),
    synonymEditor: composeSynonymEditor(config, stores),
    ...composePortsOfWebhooks(config, stores),
    builtInWriter: createBuiltInAnswerWriter(),
    modelWriter: composeModelWriter(config, clock),
    ...images,
    visionModel: inTurns(images.visionModel),
    vectorSearch: inTurns(filterVectorSearch(images.vectorSearch, catalogStore)),
  };
}

/** The same port, after whose calls a request goes on when it is its turn. */
function inTurns<Port extends object>(port: Port): Port {
  return wrapCalls(port, (_, call) => {
    const result = call();
    return result instanceof Promise ? result.then(inTurn) : result;
  });
}

/** The sources of page contents. */
export function composeSite(
  { catalogStore, textSearch }: Pick<Ports, "catalogStore" | "textSearch">,
  { localImages }: Pick<Stores, "localImages">,
): SiteContent {
  return createSiteContent({ catalogStore, textSearch, localImages });
}

/** The limits are for the whole process; each thread gets a share. */
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

type ImageSearchStores = Pick<Stores, "uploadedImages" | "productImages">;

/** How an HTTP thread calls the vision threads and the thread of the vector index. */
export interface ImageFeeds extends VisionPoolSettings {
  /** Where SEARCH_URL is set: vectors are searched there. */
  searchCluster?: SearchCluster | undefined;
  searchedVectors?: ((receive: (searched: SearchedVectors) => void) => void) | undefined;
  vectors(receive: (segments: VectorSegments) => void): void;
}

interface ImagePorts {
  uploadedImageStore: UploadedImageStore;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

function composeImagePorts(stores: ImageSearchStores, feeds: ImageFeeds): ImagePorts {
  const { searchCluster, searchedVectors, vectors } = feeds;
  const vectorSearch =
    searchCluster && searchedVectors
      ? searchCluster.vectorSearch(searchedVectors)
      : createUsearchVectorSearch({ subscribe: vectors });
  return {
    uploadedImageStore: stores.uploadedImages(),
    productImageStore: stores.productImages().searched,
    visionModel: createVisionPool(feeds, vectorSearch.model),
    vectorSearch,
  };
}
