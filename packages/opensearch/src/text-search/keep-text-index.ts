import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { english, type Languages } from "@product-search/text-index";
import {
  type ChosenLanguages,
  mayHaveOtherLanguages,
  readLanguages,
} from "@product-search/text-search/catalog-languages.ts";
import { type CatalogLog, countProducts } from "@product-search/text-search/catalog-log.ts";
import { languagesIdentity, languagesOfIdentity } from "@product-search/text-search/service-languages.ts";
import { splitGroupKey, toIndexDocument } from "@product-search/text-search/to-index.ts";
import { type IndexSource, type KeepIndexSettings, keepIndex } from "../cluster/keep-index.ts";
import type { IndexEntry } from "../cluster/write-entries.ts";
import {
  maxMembers,
  productsPerShard,
  textLayout,
  textLayoutVersion,
  textRefreshInterval,
  toIndexSources,
} from "./text-layout.ts";

export interface KeepTextIndexSettings
  extends Omit<KeepIndexSettings, "version" | "layout" | "refreshInterval" | "source" | "shards"> {
  readonly log: CatalogLog & Pick<CatalogStore, "findGroup">;
  readonly markAt: IndexSource["markAt"];
  /** Default: by the number of products. */
  readonly shards?: number | undefined;
  readonly refreshInterval?: string;
  /** Those of the catalog. Default: English. */
  readonly languages?: ChosenLanguages;
  /** How often it is looked whether the catalog has other languages. Default: 1 s. */
  readonly languagesReadMs?: number;
  /** Default: the version of this release. Tests increase it. */
  readonly version?: number;
}

const usualReadMs = 1_000;

/** Writes the products of the catalog and all their changes to the index that searches use through the alias. */
export async function keepTextIndex(
  { languages: chosen = [english], ...settings }: KeepTextIndexSettings,
  signal: AbortSignal,
): Promise<void> {
  let isSame = false;
  while (!isSame && !signal.aborted) {
    const languages = await readLanguages(chosen, settings.log);
    const changing = new AbortController();
    const until = AbortSignal.any([signal, changing.signal]);
    const keeping = keepInLanguages({ ...settings, languages }, until);
    const watching =
      typeof chosen === "function" ? untilOthers(chosen, languages, settings, until) : undefined;
    watching?.then(() => changing.abort());
    await keeping;
    isSame = !changing.signal.aborted;
    changing.abort();
  }
}

/** Resolves when the catalog has other languages. */
async function untilOthers(
  read: (log: CatalogLog) => Promise<Languages>,
  languages: Languages,
  { log, languagesReadMs = usualReadMs, onError }: Omit<KeepTextIndexSettings, "languages">,
  signal: AbortSignal,
): Promise<void> {
  for (let readAt = 0; !signal.aborted; await pause(languagesReadMs, signal)) {
    try {
      const newest = await log.lastSequence();
      if (!mayHaveOtherLanguages(await countProducts(log), newest - readAt)) continue;
      readAt = newest;
      if (languagesIdentity(await read(log)) !== languagesIdentity(languages)) return;
    } catch (error) {
      onError(error);
    }
  }
}

function keepInLanguages(
  {
    log,
    markAt,
    shards,
    refreshInterval = textRefreshInterval,
    version = textLayoutVersion,
    languages,
    ...settings
  }: KeepTextIndexSettings & { languages: Languages },
  signal: AbortSignal,
): Promise<void> {
  const sourceIn = (those: Languages): IndexSource => {
    const toEntries = (products: Awaited<ReturnType<CatalogLog["scan"]>>): IndexEntry[] =>
      toIndexSources(
        products.map((product) => toIndexDocument(product, those)),
        those,
      );
    return {
      identity: identityOf(those),
      as(identity) {
        const others = languagesOf(identity);
        return others && sourceIn(others);
      },
      markAt,
      count: () => countProducts(log),
      lastSequence: () => log.lastSequence(),
      changesAfter: (sequence, limit) => log.changesAfter(sequence, limit),
      scan: async (afterRowId, limit) => toEntries(await log.scan(afterRowId, limit)),
      read: async (rowIds) => {
        const entries = toEntries(await log.findByRowIds(rowIds));
        const present = new Set(entries.map(({ id }) => id));
        const absent = rowIds.filter((rowId) => !present.has(rowId));
        return [...entries, ...absent.map((id) => ({ id, source: undefined }))];
      },
      groups: {
        membersOf: async (keys) => {
          const members = keys.map(async (key) => [key, toEntries(await findGroup(log, key))] as const);
          return new Map(await Promise.all(members));
        },
      },
    };
  };
  return keepIndex(
    {
      ...settings,
      version,
      layout: textLayout(),
      shards: { chosen: shards, entriesEach: productsPerShard },
      refreshInterval,
      source: sourceIn(languages),
    },
    signal,
  );
}

function findGroup(log: KeepTextIndexSettings["log"], key: string) {
  const { source, groupId } = splitGroupKey(key);
  return log.findGroup(source, groupId, maxMembers);
}

const content = "products";

function identityOf(languages: Languages): string {
  return `${content}${languagesIdentity(languages)}`;
}

function languagesOf(identity: string): Languages | undefined {
  return identity.startsWith(content) ? languagesOfIdentity(identity.slice(content.length)) : undefined;
}
