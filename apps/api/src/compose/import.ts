import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { trace } from "@opentelemetry/api";
import { createUnfetchableCheck } from "@product-search/core/domain/networks.ts";
import type { FeedState } from "@product-search/core/ports/imports.ts";
import { type Pulled, pullDueFeed } from "@product-search/features/catalog-write/feeds/pull-feed.ts";
import type { ImportFeedDeps } from "@product-search/features/catalog-write/import/import-feed.ts";
import type { Rejected } from "@product-search/features/catalog-write/import/import-summary.ts";
import { type Applied, resumeImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { createReadDiskSpace } from "@product-search/stores/database/disk-space.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";
import { endWith } from "./trace-ports.ts";

const tracer = trace.getTracer("product-search");

/** The dependencies of an import. `stores` must not be shared. */
export function composeImport(
  config: Config,
  { importParts, catalogStore, clock, storeCurrency, columnMaps }: Stores,
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
    shopTokens: config.shopifyAdminTokens,
    storeCurrency,
    columnMaps,
    isUnfetchable: createUnfetchableCheck(config.fetchAllowNetworks),
    trace: createImportTrace(config),
    ...importParts(importsFolder),
    outboundHttp,
    readDiskSpace: createReadDiskSpace(config.dataDir),
    maxStagedBytes: config.stagingLimitMb === undefined ? undefined : config.stagingLimitMb * 1e6,
    close: () => outboundHttp.close(),
  };
}

export interface OwnImports {
  /** Finishes imports whose process died after it had read its feed, one at a time. */
  resume(signal: AbortSignal): Promise<Applied | undefined>;
  /** Imports the feed that has been due for the longest time. Several may be imported at once. */
  pull(
    signal: AbortSignal,
    onTaken: () => void,
  ): Promise<(Pulled & { rejectsFile: string | undefined }) | undefined>;
  /** Removes staged feeds of dead processes. */
  clearStaging(): Promise<void>;
  close(): Promise<void>;
}

/** The imports that the service runs by itself. `stores` must not be shared. */
export async function composeOwnImports(
  config: Config,
  stores: Stores,
  onDiscarded: (error: Error) => void,
): Promise<OwnImports> {
  const deps = composeImport(config, stores);
  // Each import of its own lease: a slow one delays no other.
  const newImport = () => ({ ...deps, ...stores.importParts(deps.importsFolder) });
  const { feedSchedule } = stores;
  await feedSchedule.configure(config.feeds);
  return {
    resume: (signal) => resumeImport(deps, signal),
    clearStaging: () => deps.stagingArea.clear(deps.importJournal.sealedFiles),
    async pull(signal, onTaken) {
      let rejects: ReturnType<typeof createRejectsFile> | undefined;
      const observe = ({ source }: FeedState) => {
        onTaken();
        rejects = createRejectsFile({ folder: deps.importsFolder, source, atMs: stores.clock.now() });
        return { onReject: rejects.add, onDiscarded };
      };
      try {
        const pulled = await pullDueFeed({ ...newImport(), feedSchedule }, observe, signal);
        return pulled && { ...pulled, rejectsFile: rejects?.close() };
      } finally {
        rejects?.close();
      }
    },
    close: deps.close,
  };
}

/** A span for an import. The events of its changes, and so their deliveries, are part of its trace. */
function createImportTrace({
  tracing,
}: Pick<Config, "tracing">): Required<Pick<ImportFeedDeps, "trace">>["trace"] {
  return (source, work) => {
    if (tracing === undefined || Math.random() >= tracing.ratio) return work();
    const attributes = { "product_search.source": source };
    return tracer.startActiveSpan("import", { attributes }, (span) => endWith(span, work));
  };
}

/** With more rejects than this, the whole feed is broken, and more lines would not help. */
const maxLines = 100_000;

/** Writes refused rows, one JSON object per line. The file is created with the first one. */
export function createRejectsFile(where: string | { folder: string; source: string; atMs: number }) {
  let file: { path: string; descriptor: number } | undefined;
  let lines = 0;
  const open = () => {
    const path = typeof where === "string" ? where : defaultPath(where);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return { path, descriptor: openSync(path, "w", 0o600) };
  };
  return {
    add(rejected: Rejected): void {
      lines += 1;
      if (lines > maxLines) return;
      file ??= open();
      writeSync(file.descriptor, `${JSON.stringify(rejected)}\n`);
    },
    /** The path of the file, if any row was refused. */
    close(): string | undefined {
      if (file === undefined) return undefined;
      const { path, descriptor } = file;
      file = undefined;
      if (lines > maxLines) {
        writeSync(
          descriptor,
          `${JSON.stringify({ reason: `${lines - maxLines} more rows are invalid.` })}\n`,
        );
      }
      closeSync(descriptor);
      return path;
    },
  };
}

function defaultPath({ folder, source, atMs }: { folder: string; source: string; atMs: number }): string {
  const time = new Date(atMs).toISOString().replace(/\D/g, "").slice(0, 14);
  return join(folder, `rejects-${source}-${time}.jsonl`);
}
