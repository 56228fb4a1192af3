import { pause, untilDone } from "@product-search/core/mechanisms/retry.ts";
import { createCluster } from "@product-search/opensearch/cluster/cluster.ts";
import { findBuild, findBuiltIndex } from "@product-search/opensearch/cluster/index-names.ts";
import { keepTextIndex } from "@product-search/opensearch/text-search/keep-text-index.ts";
import { createOpenSearchTextSearch } from "@product-search/opensearch/text-search/opensearch.ts";
import {
  followVectorModel,
  fromIdentity,
  keepVectorIndex,
} from "@product-search/opensearch/vector-search/keep-vector-index.ts";
import { createOpenSearchVectorSearch } from "@product-search/opensearch/vector-search/opensearch.ts";
import type { ChosenLanguages } from "@product-search/text-search/catalog-languages.ts";
import type { SearchClusterSettings } from "../../config/setting-values.ts";
import type { OnError, SearchCluster } from "./search-cluster-types.ts";

const watchMs = 1_000;
const retryMs = 500;
/** A slower response would come too late to say how the cluster is. */
const probeTimeoutMs = 2_000;

export function composeOpenSearch(
  { nodes, prefix, ...parts }: SearchClusterSettings,
  languages: ChosenLanguages,
): SearchCluster {
  const cluster = createCluster({ nodes });
  const textAlias = `${prefix}-text`;
  const vectorAlias = `${prefix}-vectors`;
  const reported = new Set<string>();
  const onNewerLayout = (alias: string, onError: OnError) => (version: number) => {
    if (reported.has(alias)) return;
    reported.add(alias);
    const reason = `The index behind "${alias}" has layout ${version}, which this release does not know.`;
    const remedy = `If no node of the newer release runs any more, delete that index; it is built again.`;
    onError(new Error(`${reason} ${remedy}`), "this node leaves an index to nodes of a newer release");
  };
  return {
    textSearch: (subscribe, synonyms) =>
      createOpenSearchTextSearch({ cluster, index: textAlias, subscribe, synonyms }),
    vectorSearch: (subscribe) => createOpenSearchVectorSearch({ cluster, subscribe }),
    keepTextIndex: ({ catalogStore: log, markOfHistory }, onError, lease) =>
      keepTextIndex(
        {
          ...parts,
          cluster,
          alias: textAlias,
          lease,
          languages,
          log,
          markAt: (sequence) => markOfHistory("changes", sequence),
          onRefused: (rowId, reason) => onError(new Error(reason), `product ${rowId} cannot be indexed`),
          onError: (error) => onError(error, "products were not indexed for a moment"),
          onNewerLayout: onNewerLayout(textAlias, onError),
        },
        lease.signal,
      ),
    keepVectorIndex: (model, { productImageStore: store, markOfHistory }, onError, lease) =>
      keepVectorIndex(
        {
          ...model,
          ...parts,
          cluster,
          alias: vectorAlias,
          lease,
          store,
          markAt: (sequence) => markOfHistory("vector_changes", sequence),
          onRefused: (rowId, reason) =>
            onError(new Error(reason), `the images of product ${rowId} cannot be indexed`),
          onError: (error) => onError(error, "images were not indexed for a moment"),
          onNewerLayout: onNewerLayout(vectorAlias, onError),
        },
        lease.signal,
      ),
    indexedVectors: async (onError, signal) => {
      const built = await untilDone(
        () => findBuiltIndex(cluster, vectorAlias),
        (error) => onError(error, "waiting for OpenSearch"),
        signal,
      );
      return built && fromIdentity(built.identity);
    },
    searchableSequence: async () => (await findBuiltIndex(cluster, textAlias))?.sequence ?? 0,
    textIndexBuild: () => findBuild(cluster, textAlias),
    untilSearchable: async ({ catalogStore, markOfHistory }, onBuild, onError, signal) => {
      let atStart: number | undefined;
      const isSearchable = async () => {
        // Not what comes later: while changes keep coming, the index would never have all of them.
        atStart ??= await catalogStore.lastSequence();
        const built = await findBuiltIndex(cluster, textAlias);
        const isComplete =
          built !== undefined &&
          built.sequence >= atStart &&
          built.mark === (await markOfHistory("changes", built.sequence));
        if (!isComplete) onBuild(await findBuild(cluster, textAlias));
        return isComplete;
      };
      const onFault = (error: unknown) => onError(error, "waiting for OpenSearch");
      while (!(await untilDone(isSearchable, onFault, signal)) && !signal.aborted)
        await pause(retryMs, signal);
    },
    followVectors: (store, publish, onError, signal) =>
      followVectorModel(
        {
          cluster,
          alias: vectorAlias,
          store,
          publish,
          onError: (error) => onError(error, "the index of images cannot be read"),
        },
        signal,
      ),
    watch: async (onState, signal) => {
      for (let known: boolean | undefined; !signal.aborted; ) {
        const error: unknown = await cluster
          .request({ method: "GET", path: "/", timeoutMs: probeTimeoutMs }, signal)
          .then(
            () => undefined,
            (fault: unknown) => fault,
          );
        if (signal.aborted) return;
        if (known !== (error === undefined)) onState(error === undefined, error);
        known = error === undefined;
        await pause(watchMs, signal);
      }
    },
    close: () => cluster.close(),
  };
}
