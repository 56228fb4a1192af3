import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccessToken } from "@product-search/core/domain/access-token.ts";
import { createToken, revokeToken, type WantedToken } from "@product-search/features/accounts/accounts.ts";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandActor } from "../cli/support/store-command.ts";
import { readConfig } from "../config.ts";
import { checkStore } from "./start-checks.ts";
import { openNodeCopy } from "./stores/node-copy.ts";
import { composeStores } from "./stores/stores.ts";

const secretKey = (byte: number) => Buffer.alloc(32, byte).toString("base64");

async function settings(given: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "start-checks-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return readConfig({ DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY: secretKey(1), ...given });
}

describe("the token of the shop page", () => {
  const publicUrl = "https://search.example";
  test.each<[string, Partial<WantedToken>, string | undefined]>([
    ["for all pages", { publicOrigins: ["*"] }, undefined],
    ["for its page", { publicOrigins: ["https://other.example", publicUrl] }, undefined],
    ["for another page", { publicOrigins: ["https://other.example"] }, "pages of https://search.example"],
    ["that is private", {}, "is not public"],
    ["that has expired", { publicOrigins: ["*"], lifetimeMs: -1 }, "has expired"],
    ["that was revoked", { publicOrigins: ["*"] }, "was revoked"],
    ["of another database", { publicOrigins: ["*"] }, "is not in this database"],
  ])("one %s", async (kind, wanted, fault) => {
    const dataDir = mkdtempSync(join(tmpdir(), "start-checks-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const stores = await composeStores(readConfig({ DATA_DIR: dataDir }));
    const actor = commandActor();
    const { token, record } = await createToken(stores, actor, {
      account: "a",
      scopes: ["search"],
      ...wanted,
    });
    if (fault === "was revoked") await revokeToken(stores, actor, record.id);
    await stores.close();
    const shopToken = kind === "of another database" ? createAccessToken() : token;
    const config = readConfig({ DATA_DIR: dataDir, PUBLIC_URL: publicUrl, SHOP_TOKEN: shopToken });
    const check = checkStore(config);
    if (fault === undefined) return check;
    const error = await check.catch(String);
    expect(error).toMatch(/^ConfigError: SHOP_TOKEN: .*`token create --account shop --public`/);
    expect(error).toContain(fault);
    expect(error).not.toContain(shopToken);
  });
});

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
