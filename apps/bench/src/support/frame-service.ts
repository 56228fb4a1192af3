import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { type Config, readConfig } from "@product-search/api/config.ts";
import { createToken } from "@product-search/features/accounts/tokens.ts";

export interface FrameStore {
  config: Config;
  token: string;
  remove(): void;
}

/** An empty store in a new folder, with a token. */
export async function createFrameStore(settings: Record<string, string> = {}): Promise<FrameStore> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-frame-"));
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "warn",
    TOKEN_RATE_LIMIT: "100000000/60",
    ...settings,
  });
  const stores = await composeSqliteStores(config);
  const { token } = await createToken(
    stores,
    { kind: "command", user: "bench", host: "here" },
    { account: "bench", scopes: ["search"] },
  );
  await stores.close();
  return { config, token, remove: () => rmSync(dataDir, { recursive: true }) };
}
