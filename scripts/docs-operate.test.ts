import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { freePort } from "../packages/testing/src/outbound-http/listen.ts";
import { textsOf } from "./docs-blocks.ts";
import { bash, start } from "./docs-service.ts";

const docs = inject("docs");
const page = "docs/operate.md";

it("docs/operate.md creates, lists and revokes tokens", async () => {
  const made = await bash(docs, "pnpm --silent api token create --account other --scopes search --json");
  const { id } = JSON.parse(made);
  const [text = ""] = textsOf(page, "tokens");
  const output = await bash(docs, text.replace(/\bID\b/, id));
  expect(output).toMatch(/pss_\w{36}/);
  expect(output).toContain(`Revoked ${id}.`);
});

it("docs/operate.md creates a token for networks, and shows it in the audit log", async () => {
  const [create = ""] = textsOf(page, "token-networks");
  expect(await bash(docs, create)).toMatch(/pss_\w{36}/);
  const [audit = ""] = textsOf(page, "audit");
  expect(await bash(docs, audit)).toMatch(/token/i);
});

it("docs/search-box.md makes a public token", async () => {
  const [create = "", ...more] = textsOf("docs/search-box.md", "public-token");
  expect(more).toEqual([]);
  expect(await bash(docs, create)).toMatch(/pss_\w{36}[\s\S]*public: for pages of https:\/\/shop\.example/);
});

it("docs/operate.md lists and changes synonyms", async () => {
  const [text = "", ...more] = textsOf(page, "synonyms");
  expect(more).toEqual([]);
  const output = await bash(docs, text.replaceAll("synonyms.txt", join(docs.folder, "synonyms.txt")));
  expect(output).toContain("couch: sofa, settee");
  expect(output).toContain("Added: chesterfield, tufted sofa");
  expect(output).toContain("Removed: couch, settee, sofa");
  expect(output).toContain("Added: plimsolls => sneakers");
  expect(output).toContain("Added: gym pumps, plimsolls");
  await bash(docs, 'pnpm --silent api synonyms add "couch, settee, sofa"');
});

it("docs/operate.md lists and retries dead letters", async () => {
  const [text = ""] = textsOf(page, "dead-letters");
  // There are no dead letters here, so the line that names one is left out.
  const output = await bash(docs, text.replace(/^.*retry ID.*\n/m, ""));
  expect(output).toMatch(/[[{]/);
});

it("docs/operate.md makes a backup while the service runs, and restores it into a working one", async () => {
  const [backup = "", restore = "", ...more] = textsOf(page, "backup");
  expect(more).toEqual([]);
  const folder = join(docs.folder, "backups");
  const placed = (text: string) => text.replace("/var/backups/product-search", folder);
  expect(await bash(docs, placed(backup))).toContain("Wrote and verified");

  const dataDir = join(docs.folder, "restored");
  cpSync(join(docs.folder, "data"), dataDir, { recursive: true });
  writeFileSync(join(dataDir, "store.sqlite"), "what a broken disk left");
  expect(await bash(docs, `${placed(restore).trimEnd()} --force`, { DATA_DIR: dataDir })).toContain(
    "Restored",
  );

  const [serve = ""] = textsOf(page, "serve");
  const port = String(await freePort());
  const service = await start(serve, { DATA_DIR: dataDir, PORT: port }, /listening|ready/i);
  onTestFinished(service.stop);
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status, { timeout: 60_000 })
    .toBe(200);
  const authorization = `Bearer ${docs.token}`;
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/search/marketplace-a?q=chair`, {
    headers: { authorization },
  });
  expect(await response.json()).toMatchObject({ status: "success", source: "marketplace-a" });
});
