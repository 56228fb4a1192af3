import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import { checkStore } from "./start-checks.ts";
import { openNodeCopy } from "./stores/node-copy.ts";

const secretKey = (byte: number) => Buffer.alloc(32, byte).toString("base64");

async function settings(given: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "start-checks-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return readConfig({ DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY: secretKey(1), ...given });
}

describeOnPostgres("the checks of a node at its start", () => {
  test("make the tables, and refuse another key than that of the other nodes", async () => {
    const config = await settings();
    await checkStore(config);
    await checkStore(config, true);
    await expect(checkStore({ ...config, secretKey: secretKey(2) })).rejects.toThrow(
      /SECRET_KEY is not the key that the secrets in the database 127\.0\.0\.1:\d+\/test_\w+ were encrypted with/,
    );
  });

  test("name the database that cannot be reached, without the password", async () => {
    const config = await settings({ DATABASE_URL: "postgres://user:secret@127.0.0.1:1/products" });
    const error = await checkStore(config).catch(String);
    expect(error).toMatch(
      /database 127\.0\.0\.1:1\/products cannot be reached .*Check host and port in DATABASE_URL/,
    );
    expect(error).not.toContain("secret");
  });

  test("remove a damaged copy of the catalog, and keep a sound one", async () => {
    const config = await settings();
    const copy = await openNodeCopy(config);
    const { epoch } = copy.state();
    await copy.close();
    await checkStore(config);
    const same = await openNodeCopy(config);
    expect(same.state().epoch).toBe(epoch);
    await same.close();
    const file = join(config.dataDir, "copy", "store.sqlite");
    writeFileSync(file, "this is no database".repeat(1000));
    await checkStore(config);
    expect(existsSync(file)).toBe(false);
  });
});
