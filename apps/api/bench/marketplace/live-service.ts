import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { composeStores } from "../../src/compose.ts";
import { readConfig } from "../../src/config.ts";
import { createToken } from "../../src/features/accounts/create-token.ts";
import type { Ask } from "./open-loop.ts";

const commandLine = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface LiveService {
  ask(marketplace: "a" | "b"): Ask;
  residentMb(): number;
  close(): Promise<void>;
}

/** The whole service in a process of its own, both marketplaces live; answers of `a` stay fresh so long. */
export async function startLiveService(
  urls: { a: string; b: string },
  freshSeconds: number,
): Promise<LiveService> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-marketplace-"));
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "error",
    TOKEN_RATE_LIMIT: "0",
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    MARKETPLACE_A: writeProfile(join(dataDir, "a.yaml"), urls.a, freshSeconds),
    MARKETPLACE_B: writeProfile(join(dataDir, "b.yaml"), urls.b, 0),
  };
  const stores = await composeStores(readConfig(environment));
  const { token } = await createToken(stores, { account: "bench", scopes: ["search"] });
  await stores.close();

  const child = spawn(process.execPath, [commandLine, "serve"], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const root = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const port = /Serving at http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    });
    child.once("exit", () => reject(new Error(output)));
  });
  while (!(await fetch(`${root}/readyz`)).ok) await delay(50);

  return {
    ask: (marketplace) => async (query) => {
      const answer = await fetch(
        `${root}/api/v1/search/marketplace-${marketplace}?q=${encodeURIComponent(query)}`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      );
      await answer.arrayBuffer();
      return { status: answer.status, cache: answer.headers.get("cache-status") ?? "" };
    },
    residentMb() {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      return Math.round(Number(kilobytes) / 1024);
    },
    async close() {
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("exit", resolve));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function writeProfile(file: string, baseUrl: string, freshSeconds: number): string {
  writeFileSync(
    file,
    JSON.stringify({
      name: "Bench",
      baseUrl,
      currency: "USD",
      request: { path: "/search", query: { q: "{query}" } },
      pagination: { style: "offset", offsetParameter: "from", limitParameter: "size", maxLimit: 100 },
      answer: { items: "items", total: "total" },
      item: { itemCode: "id", name: "name", price: "price", url: "url", description: "description" },
      cache: { freshSeconds, staleSeconds: 0 },
    }),
  );
  return file;
}
