import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import {
  type ImportFeedDeps,
  type ImportFeedOptions,
  importFeed,
} from "@product-search/features/catalog-write/import/import-feed.ts";
import type {
  ImportStep,
  ImportSummary,
  Rejected,
} from "@product-search/features/catalog-write/import/import-summary.ts";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { composeImport } from "../src/compose/import.ts";
import { composeSqliteStores, type SqliteStores } from "../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../src/config.ts";

export interface ImportFixture {
  stores: SqliteStores;
  deps: ImportFeedDeps & { importsFolder: string };
  rejected: Rejected[];
  /** The messages of interrupted imports that could not be finished. */
  discarded: string[];
  steps: ImportStep[];
  dataDir: string;
  /** Writes a feed to a file and returns its path. */
  file(content: string | Uint8Array): string;
  run(feed: string, options?: Partial<ImportFeedOptions>): Promise<ImportSummary>;
  products(): Promise<StoredProduct[]>;
  close(): Promise<void>;
}

/** An import into a database in a new folder, with all real parts except the command line. */
export async function createImportFixture(environment: Record<string, string> = {}): Promise<ImportFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "product-search-import-"));
  const config = readConfig({
    DATA_DIR: dataDir,
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    LOG_LEVEL: "silent",
    ...environment,
  });
  const stores = await composeSqliteStores(config);
  const deps = composeImport(config, stores);
  const rejected: Rejected[] = [];
  const discarded: string[] = [];
  const steps: ImportStep[] = [];
  let files = 0;
  return {
    stores,
    deps,
    rejected,
    discarded,
    steps,
    dataDir,
    file(content) {
      files += 1;
      const path = join(dataDir, `feed-${files}`);
      writeFileSync(path, content);
      return path;
    },
    run(feed, options = {}) {
      rejected.length = 0;
      const observer = {
        onStep: (step: ImportStep) => void steps.push(step),
        onReject: (one: Rejected) => void rejected.push(one),
        onDiscarded: ({ message }: Error) => void discarded.push(message),
      };
      const whole = { source: "catalog", absent: "keep", ...options, feed } as const;
      return importFeed(deps, whole, observer, new AbortController().signal);
    },
    products: () => stores.catalogStore.scan(0, 1000),
    async close() {
      await deps.close();
      await stores.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function nativeLine(key: string, given: Record<string, unknown> = {}): string {
  const product = {
    _id: key,
    name: `Lamp ${key}`,
    price: 19.99,
    url: `https://shop.example/${key}`,
    storeName: "Lichthaus",
  };
  return `${JSON.stringify({ ...product, ...given })}\n`;
}

/**
 * Kills this process with SIGKILL at its nth write to any database, including begin and commit: before an odd one and
 * after an even one, unless set otherwise. No cleanup runs, as when a container loses power.
 */
export function killAtWrite(atWrite: number, isBefore = atWrite % 2 === 1): void {
  const statements: Record<string, unknown> = Object(Sqlite.Statement.prototype);
  let writes = 0;
  for (const name of ["run", "get", "all"]) {
    const original = statements[name];
    if (typeof original !== "function") throw new Error(`Statements have no ${name}.`);
    statements[name] = function countedStatement(this: Sqlite.Statement, ...parameters: unknown[]): unknown {
      if (/^\s*(select|pragma|explain)/i.test(this.source)) return original.apply(this, parameters);
      writes += 1;
      if (writes === atWrite && isBefore) process.kill(process.pid, "SIGKILL");
      const result: unknown = original.apply(this, parameters);
      if (writes === atWrite) process.kill(process.pid, "SIGKILL");
      return result;
    };
  }
}
