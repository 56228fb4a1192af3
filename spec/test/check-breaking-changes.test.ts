import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { checkBreakingChanges } from "../scripts/check-breaking-changes.ts";
import { bundleLocation, type OpenApiDocument, readBundle, releasedLocation } from "../scripts/document.ts";

const bundle = fileURLToPath(bundleLocation);
const folder = await mkdtemp(join(tmpdir(), "spec-"));
afterAll(() => rm(folder, { recursive: true }));

async function saved(text: string): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, text);
  return file;
}

async function changed(change: (document: OpenApiDocument) => void): Promise<string> {
  const document = await readBundle();
  change(document);
  return saved(JSON.stringify(document));
}

it("passes the document of this checkout", async () => {
  await checkBreakingChanges(fileURLToPath(releasedLocation), bundle);
});

it("passes an additive change", async () => {
  const candidate = await changed(({ components }) => {
    components.schemas.Store = { type: "object" };
  });
  await checkBreakingChanges(bundle, candidate);
});

it("refuses a breaking change, names it and tells the way out", async () => {
  const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
  await expect(checkBreakingChanges(bundle, candidate)).rejects.toThrow(
    /\/search\/brands[\s\S]*move the major version/,
  );
});

it("passes a breaking change when the major version moved", async () => {
  const candidate = await changed((document) => {
    delete document.paths["/search/brands"];
    document.info.version = "2.0.0";
    document.servers = [{ url: "/api/v2" }];
  });
  await checkBreakingChanges(bundle, candidate);
});

it("fails the command that `check` runs, and only then", async () => {
  const script = fileURLToPath(new URL("../scripts/breaking-change.ts", import.meta.url));
  const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
  const run = (...files: string[]) => spawnSync(process.execPath, [script, ...files], { encoding: "utf8" });
  expect(run(bundle, candidate)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("/search/brands"),
  });
  expect(run()).toMatchObject({ status: 0, stderr: "" });
});

it.each([
  ["is missing", undefined],
  ["is empty", ""],
  ["is cut off", '{"openapi": "3.0.3", "paths": {'],
  ["is an error page", "<html>502 Bad Gateway</html>"],
  ["is no OpenAPI document", '{"swagger": "2.0", "info": {"version": "1.0.0"}, "paths": {"/a": {}}}'],
  ["has no paths", '{"openapi": "3.0.3", "info": {"version": "1.0.0"}, "paths": {}}'],
  ["has no version", '{"openapi": "3.0.3", "info": {}, "paths": {"/a": {}}}'],
])("refuses to pass when a document %s", async (_fault, text) => {
  const broken = text === undefined ? join(folder, "missing.json") : await saved(text);
  await expect(checkBreakingChanges(broken, bundle)).rejects.toThrow(broken);
  await expect(checkBreakingChanges(bundle, broken)).rejects.toThrow(broken);
});
