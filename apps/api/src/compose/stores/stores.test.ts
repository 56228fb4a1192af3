import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a service on one machine does not load the PostgreSQL driver", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "no-driver-"));
  const script = `
    const { createRequire } = await import("node:module");
    const { composeStores } = await import("${import.meta.resolve("./stores.ts")}");
    const { readConfig } = await import("${import.meta.resolve("../../config.ts")}");
    await (await composeStores(readConfig({ DATA_DIR: ${JSON.stringify(dataDir)} }))).close();
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(JSON.stringify({ postgres: loaded.filter((path) => /\\/pg[-\\/]/.test(path)) }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  rmSync(dataDir, { recursive: true });
  expect(stdout, stderr).not.toBe("");
  expect(JSON.parse(stdout)).toEqual({ postgres: [] });
});
