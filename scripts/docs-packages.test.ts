import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it, onTestFinished } from "vitest";
import { named, root, textsOf } from "./docs-blocks.ts";
import { bash, runProgram } from "./docs-service.ts";
import { signedDelivery } from "./docs-signed-delivery.ts";

const docs = inject("docs");

it("the blocks of the client's README form a program that runs", async () => {
  const blocks = textsOf("packages/client/README.md", "program");
  expect(blocks.length).toBe(8);
  const text = blocks
    .join("\n")
    .replace("https://search.example/api/v1", "http://127.0.0.1:3000/api/v1")
    .replace("PRODUCT_SEARCH_TOKEN", "TOKEN");
  const output = await runProgram(docs, `${signedDelivery}\n${text}\nconsole.log(Products.length);`);
  expect(output).toContain("Mug 2 → 1\n");
  expect(output).toMatch(/^5$/m);
});

it("the types' README is a module that TypeScript accepts", async () => {
  const folder = join(docs.folder, "types");
  mkdirSync(join(folder, "node_modules/@product-search"), { recursive: true });
  symlinkSync(join(root, "packages/types"), join(folder, "node_modules/@product-search/types"));
  const [text = ""] = textsOf("packages/types/README.md", "types");
  const compile = async (content: string) => {
    writeFileSync(join(folder, "readme.mts"), content);
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--lib",
      "es2023,dom",
    ];
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), [...options, "readme.mts"], {
      cwd: folder,
    });
  };
  await compile(text);
  await expect(compile(text.replace("current.availability", "current.price"))).rejects.toThrow();
});

it("docs/partners.md packs the client and the mock, and installs them", async () => {
  const [pack = "", ...more] = textsOf("docs/partners.md", "pack");
  expect(more).toEqual([]);
  // Not below a folder that has a node_modules: npm would install there.
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await bash(docs, pack.replaceAll("~/shop", folder), { npm_config_audit: "false" });
  expect(readdirSync(join(folder, "node_modules/@product-search"))).toEqual(["client", "mock"]);
});

it.each(named("internal"))("runs inside its package %s", async (_, { page, text }) => {
  const program = text.replace("image.png", join(root, "docs/shop.png"));
  await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", program], {
    cwd: join(root, dirname(page)),
  });
});
