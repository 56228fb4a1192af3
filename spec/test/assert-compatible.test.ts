import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { assertCompatible } from "../scripts/assert-compatible.ts";
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

it("accepts the document of this checkout", async () => {
  await assertCompatible(fileURLToPath(releasedLocation), bundle);
});

it("accepts an additive change", async () => {
  const candidate = await changed(({ components }) => {
    components.schemas.Store = { type: "object" };
  });
  await assertCompatible(bundle, candidate);
});

it("refuses a breaking change, names it and the remedy", async () => {
  const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
  await expect(assertCompatible(bundle, candidate)).rejects.toThrow(
    /\/search\/brands[\s\S]*move the major version/,
  );
});

it("says what a released document does not hold", async () => {
  const released = await changed((document) => {
    delete document.paths["/search/brands"];
    delete document.components.schemas.Product?.properties?.brand;
  });
  expect(await assertCompatible(released, bundle)).toMatch(
    /does not have them: 1 operation \(searchBrands\); 1 field\. The next release protects them\.$/,
  );
});

it("names the place of a change, the remedy and who uses it", async () => {
  const candidate = await changed(({ components }) => delete components.schemas.Product?.properties?.brand);
  await expect(assertCompatible(bundle, candidate)).rejects.toThrow(
    /schema Product › brand: the field was removed from what partners receive\. Keep the field.* \(GET \/search and \d+ more\)/,
  );
});

it("accepts a breaking change with a new major version", async () => {
  const candidate = await changed((document) => {
    delete document.paths["/search/brands"];
    document.info.version = "2.0.0";
    document.servers = [{ url: "/api/v2" }];
  });
  await assertCompatible(bundle, candidate);
});

const command = fileURLToPath(new URL("../scripts/check-breaking-changes.ts", import.meta.url));
const run = (...options: string[]) =>
  spawnSync(process.execPath, [command, ...options], { encoding: "utf8" });

it("makes the command fail on a breaking change, and succeed without one", async () => {
  const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
  expect(run("--released", bundle, "--candidate", candidate)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("/search/brands"),
  });
  expect(run()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^No breaking changes since version [\d.]+\.\nCompared: \d+ operations and \d+ callbacks of version/,
    ),
    stderr: "",
  });
});

it("makes the command refuse an unknown option", () => {
  expect(run("--candidat", bundle)).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage:") });
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
  await expect(assertCompatible(broken, bundle)).rejects.toThrow(broken);
  await expect(assertCompatible(bundle, broken)).rejects.toThrow(broken);
});
