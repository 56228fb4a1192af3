import { join } from "node:path";
import { createUndiciOutboundHttp } from "../adapters/outbound-http/undici.ts";
import type { Config } from "../config.ts";
import type { ImportFeedDeps } from "../features/catalog/import/import-feed.ts";
import { resumeImport } from "../features/catalog/import/resume-import.ts";
import type { Stores } from "./stores.ts";

/** What an import needs; `stores` must be its own. */
export function composeImport(
  config: Config,
  { importParts, catalogStore, clock }: Stores,
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
    ...importParts(importsFolder),
    outboundHttp,
    close: () => outboundHttp.close(),
  };
}

/** Finishes one import at a time whose process died after it had read its feed; `stores` must be its own. */
export function composeImportResumption(config: Config, stores: Stores) {
  const deps = composeImport(config, stores);
  return { resume: (signal: AbortSignal) => resumeImport(deps, signal), close: deps.close };
}
