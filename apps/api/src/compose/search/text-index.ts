import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { IndexBuild } from "@product-search/opensearch/cluster/index-names.ts";
import { type BuildPart, buildPart } from "@product-search/text-search/build-index.ts";
import {
  type CatalogFollower,
  type FollowCatalogSettings,
  followCatalog,
} from "@product-search/text-search/follow-catalog.ts";
import { languagesOfCodes } from "@product-search/text-search/service-languages.ts";
import type { Config } from "../../config.ts";
import type { Stores } from "../stores/stores.ts";
import { chosenLanguages } from "./languages.ts";
import { openSearchCluster } from "./search-cluster.ts";
import type { OnError, SearchCluster } from "./search-cluster-types.ts";

export type { IndexBuild } from "@product-search/opensearch/cluster/index-names.ts";
export type { PartRows } from "@product-search/text-search/build-index.ts";

interface TextIndexParts extends Pick<FollowCatalogSettings, "publish" | "onSaveError"> {
  /** In another thread, if there is one for it. */
  buildElsewhere?: BuildPart;
  onError: OnError;
  /** Where there is an OpenSearch cluster: whether it can be reached. */
  onSearchCluster(isReached: boolean, error: unknown): void;
  /** How far the first complete index there is. */
  onBuild?(build: IndexBuild | undefined): void;
}

export interface TextIndexFollower extends CatalogFollower {
  /** Where there is an OpenSearch cluster: how far an index that is being built there is. */
  textIndexBuild?(): Promise<IndexBuild | undefined>;
}

/** Enough to weigh words by; 104 MB for 250,000 sample products, so about 250 MB at most. */
const vocabularySize = { documents: 250_000, words: 500_000, names: 600_000 };

/**
 * Keeps the text index up to date with the catalog. Resolves when it is complete. If the products are in OpenSearch, a
 * node has only their vocabulary, and one node at a time writes the products.
 */
export async function composeTextIndex(
  config: Config,
  stores: Stores,
  parts: TextIndexParts,
): Promise<TextIndexFollower> {
  const cluster = await openSearchCluster(config);
  const folderOf = (name: string) => stores.nodeCopy?.indexFolder(name) ?? join(config.dataDir, name);
  const { publish, onSaveError, buildElsewhere, onError } = parts;
  const reportPart = (error: unknown) =>
    onError(error, "a part of the text index was not built in its own thread");
  // On one core it would take no less time, and more memory.
  const elsewhere =
    buildElsewhere === undefined || availableParallelism() === 1
      ? undefined
      : { build: buildElsewhere, onError: reportPart };
  const log = stores.searchedCatalog;
  const untilChange = stores.untilSearchedChange();
  const languages = chosenLanguages(config);
  if (cluster === undefined)
    return followCatalog({
      log,
      untilChange,
      folder: folderOf("text-index"),
      languages,
      publish,
      onSaveError,
      elsewhere,
    });
  const settings = {
    log,
    untilChange,
    folder: folderOf("vocabulary"),
    languages,
    publish,
    onSaveError,
    sample: vocabularySize,
  };
  return withCluster(await followCatalog(settings), cluster, stores, parts);
}

/** Builds a part of the index of this catalog. */
export function composePartBuilder({ searchedCatalog }: Pick<Stores, "searchedCatalog">): BuildPart {
  return (rows) => {
    const languages = languagesOfCodes(rows.languages);
    if (languages === undefined) throw new Error(`A language of ${rows.languages.join()} is not known.`);
    return buildPart(searchedCatalog, languages, rows);
  };
}

async function withCluster(
  vocabulary: CatalogFollower,
  cluster: SearchCluster,
  stores: Stores,
  { onError, onSearchCluster, onBuild = () => {} }: TextIndexParts,
): Promise<TextIndexFollower> {
  const stopping = new AbortController();
  const writing = stores.leases.lead("text-index", (lease) => cluster.keepTextIndex(stores, onError, lease));
  const watching = cluster.watch(onSearchCluster, stopping.signal);
  const ended = Promise.all([vocabulary.ended, writing.ended, watching]).then(() => {});
  await Promise.race([cluster.untilSearchable(stores, onBuild, onError, stopping.signal), ended]);
  return {
    rebuildReason: vocabulary.rebuildReason,
    ended,
    searchableSequence: () => cluster.searchableSequence(),
    textIndexBuild: () => cluster.textIndexBuild(),
    async stop() {
      stopping.abort();
      await Promise.all([vocabulary.stop(), writing.stop()]);
      await cluster.close();
    },
  };
}
