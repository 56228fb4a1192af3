import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drawing } from "@product-search/testing/images/images.ts";
import { expect, test } from "vitest";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

/** Notes what each thread of the process loads, in a file. */
const recorder = `
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  import { threadId } from "node:worker_threads";
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.LOADED_FILE, threadId + " " + url + "\\n");
      return next(url, context);
    },
  });`;

/** The files of ours and of packages that esbuild put into a file of the bundle; of another file, the file itself. */
function sourcesOf(path: string): string[] {
  if (!existsSync(`${path}.map`)) return [path];
  const map: { sources: string[] } = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  return [path, ...map.sources];
}

const onlyForServers = [
  /\/node_modules\/pg(?:-[\w-]+)?\//,
  /\/src\/adapters\/database\/postgres\//,
  /\/src\/adapters\/opensearch\//,
  /\/src\/adapters\/[\w-]+\/(?:postgres|opensearch)(?:[-./])/,
  /\/src\/compose\/(?:stores\/postgres-|search\/opensearch\.)/,
];

test("the bundle on one machine loads no TypeScript, and no code for PostgreSQL or OpenSearch, in any thread", async () => {
  const dataDir = makeDataDir();
  const loadedFile = join(dataDir, "loaded");
  const created = run(["token", "create", "--account", "a", "--scopes", "search"], { DATA_DIR: dataDir });
  await created.exit;
  const [token] = /pss_\w+/.exec(created.output()) ?? [];
  const service = await serve({
    DATA_DIR: dataDir,
    THREADS: "1",
    LOG_LEVEL: "warn",
    LOADED_FILE: loadedFile,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
  });
  while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
  expect((await fetch(`${service.url}/api/v1/search/trial?q=lamp`)).status).toBe(200);
  const image = await drawing("disc", "#c02020").png().toBuffer();
  const described = await fetch(`${service.url}/api/v1/vectorize-image`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ base64String: image.toString("base64") }),
  });
  expect(described.status).toBe(200);
  service.child.kill();
  await service.exit;
  const lines = readFileSync(loadedFile, "utf8").trim().split("\n");
  removeDataDir(dataDir);
  const threads = new Set(lines.map((line) => line.split(" ")[0]));
  // The main thread, one for HTTP, one that waits, one for heavy work, and one for images.
  expect(threads.size).toBe(5);
  const files = lines
    .map((line) => line.split(" ")[1] ?? "")
    .filter((url) => url.startsWith("file:"))
    .map((url) => fileURLToPath(url));
  // Node would load a compiler for it, in each thread.
  expect(files.filter((file) => file.endsWith(".ts"))).toEqual([]);
  const sources = [...new Set(files)].flatMap(sourcesOf);
  expect(sources.some((source) => source.endsWith("/catalog-store/sqlite.ts"))).toBe(true);
  expect(sources.filter((source) => onlyForServers.some((pattern) => pattern.test(source)))).toEqual([]);
});
