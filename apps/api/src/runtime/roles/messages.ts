import type { Descriptor, FoundObject } from "@product-search/core/ports/images.ts";
import type { CountedEvent, EventOutcome } from "@product-search/core/ports/insights.ts";
import type {
  Marketplace,
  MarketplacePage,
  MarketplaceQuery,
} from "@product-search/core/ports/marketplace-source.ts";
import type {
  SuggestionQuery,
  TextHits,
  TextQuery,
  TextSuggestions,
} from "@product-search/core/ports/text-search.ts";
import type { SegmentHandle, Snapshot } from "@product-search/text-index";
import type { IndexedModel } from "../../compose/images/indexed-models.ts";
import type { VectorFile, VectorSegments } from "../../compose/images/vector-file.ts";
import type { NotedSearch } from "../../compose/insights.ts";
import type { KindsOfCatalog } from "../../compose/search/kinds.ts";
import type { SearchedVectors } from "../../compose/search/search-cluster-types.ts";
import type { PartRows } from "../../compose/search/text-index.ts";
import type { RenderedShopPage } from "../../http/pages/console-pages.ts";

/**
 * The messages between threads. A topic keeps its newest value for threads that start later. A service replies to calls, from
 * any thread that offers it. Features add their own lines here.
 */
export interface Topics {
  /** What is still missing before requests can be served; empty when ready. */
  missing: readonly string[];
  /** Whether the disk of `DATA_DIR` is full: nothing can be stored. */
  diskFull: boolean;
  /** The text index after the newest batch of changes: a handle to memory that all threads share. */
  textIndex: Snapshot;
  /** The kinds of the catalog's products: a handle to memory that all threads share. */
  kinds: KindsOfCatalog;
  /** The vectors of the catalog's images: a file that all threads map, and memory that all threads share. */
  vectors: VectorSegments;
  /** The vectors in OpenSearch, where they are. */
  searchedVectors: SearchedVectors;
  /** On a service of many nodes: whether PostgreSQL can be reached, and this node's copy of the catalog. */
  catalogCopy: {
    isReached: boolean;
    /** Changes still to be copied before all of the catalog was there once; undefined when it was. */
    missing: number | undefined;
    epoch: string;
  };
  /** Of the newest synonyms in the store, which the first HTTP thread looks for; undefined before the first change. */
  synonymsVersion: string | undefined;
  /** The same of the rules of the catalog search. */
  rulesVersion: string | undefined;
  /** On a service with an OpenSearch cluster: whether this node can reach it. */
  searchCluster: { isReached: boolean };
  /** Published when the text index is complete: the epoch of the copy that it was made from, if there is a copy. */
  textIndexEpoch: string | undefined;
  /** How far the first index in OpenSearch is. */
  textIndexBuild: string | undefined;
  /** What is still missing before the sample's images can be searched; undefined when nothing is. */
  imagesMissing: string | undefined;
}

interface Image {
  bytes: Uint8Array;
  /** Uses the model of the given vectors if it is loaded; otherwise, and by default, the newest. */
  model?: string | undefined;
}

interface Priced<Result> {
  result: Result;
  processorMs: number;
}

/** Offered by the threads of live marketplaces. */
type MarketplaceServices = Record<Marketplace, { input: MarketplaceQuery; output: MarketplacePage }>;

export interface Services extends MarketplaceServices {
  /** All threads' metrics, merged. */
  metrics: { input: null; output: string };
  /** Searches that an HTTP thread has noted, to be counted. */
  countSearches: { input: NotedSearch[]; output: null };
  /** The reply comes when the events are stored. */
  countEvents: { input: readonly CountedEvent[]; output: EventOutcome[] };
  /** The loaded models; the first one is for new vectors. */
  visionModels: { input: null; output: IndexedModel[] };
  describeImage: { input: Image; output: Descriptor };
  findObjects: { input: Image; output: FoundObject[] };
  /** The same as `describeImage`, with low priority. */
  describeCatalogImage: { input: Image; output: Descriptor };
  /** What an HTTP thread would need too long for, and how much processor time it has taken. */
  searchLong: { input: TextQuery; output: Priced<TextHits> };
  suggestLong: { input: SuggestionQuery; output: Priced<TextSuggestions> };
  findBrandsLong: { input: { text: string; limit: number }; output: Priced<string[]> };
  /** The content of a page of the shop, for a visitor's address. */
  renderShop: { input: { url: string; address: string }; output: Priced<RenderedShopPage> };
  /** What the page requests with its public token: it counts as the visitor's. */
  requestForShop: {
    input: { method: "GET" | "POST"; url: string; body: string; address: string; token: string };
    output: { status: number; body: string };
  };
  buildIndexPart: { input: PartRows; output: SegmentHandle | undefined };
  buildVectorFile: { input: IndexedModel; output: VectorFile };
}

/** Polls of the main thread: each thread replies for itself. */
export interface Polls {
  /** Metrics as JSON: those of a thread's part, and of its memory. */
  metrics: { output: object[] };
}
