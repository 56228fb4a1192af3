import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawing } from "@product-search/testing/images/images.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import {
  createIndexWriter,
  emptySnapshot,
  openIndex,
  readSnapshot,
  writeSnapshot,
} from "@product-search/text-index";
import { ImageTooLargeError, InvalidImageError, loadBuiltInModel } from "@product-search/vision";
import { expect, it, onTestFinished } from "vitest";
import { sampleDocuments } from "../../src/text/sample-documents.ts";
import { createFeedTarget } from "./fuzz/feeds.ts";
import { createHttpTarget } from "./fuzz/http-frame.ts";
import { below, mutate, oneOf } from "./fuzz/mutate.ts";
import { type FuzzTarget, runTarget } from "./fuzz/run-target.ts";

const pieces: readonly [string, ...string[]] = [
  "IHDR",
  "IDAT",
  "iCCP",
  "Exif\0\0",
  "\xff\xd8",
  "\xff\xda",
  "RIFF",
  "VP8X",
  "ANMF",
  "<svg>",
  "\0\0\0\0",
  "\x7f\xff\xff\xff",
];

/** JPEG, PNG, WebP, GIF and AVIF files: a descriptor, or one of the two documented errors. */
async function createImageTarget(): Promise<FuzzTarget> {
  const model = await loadBuiltInModel();
  const image = drawing("disc", "#c08040").resize(48, 40);
  const files = await Promise.all(
    (["jpeg", "png", "webp", "gif", "avif"] as const).map((format) =>
      image.clone().toFormat(format).toBuffer(),
    ),
  );
  const [first, ...others] = files;
  if (!first) throw new Error("There is no image to change.");
  return {
    maxMs: 5000,
    maxGrowthMb: 64,
    next: (random) => mutate(random, oneOf(random, [first, ...others]), pieces),
    async run(input) {
      try {
        await model.describe(input);
        return "accepted";
      } catch (error) {
        if (error instanceof InvalidImageError || error instanceof ImageTooLargeError) return "refused";
        throw error;
      }
    },
  };
}

const harmless: FuzzTarget = {
  maxMs: 1000,
  maxGrowthMb: 100,
  next: (random) => Buffer.of(Math.floor(random() * 256)),
  run: async ([byte = 0]) => (byte < 128 ? "accepted" : "refused"),
};

it("finds inputs that throw, are slow or leak memory", async () => {
  const kept: Buffer[] = [];
  const keepMegabyte = async () => {
    kept.push(Buffer.alloc(1_000_000));
    return "accepted" as const;
  };
  const planted: [RegExp, Partial<FuzzTarget>][] = [
    [
      /Error: seven/,
      { run: async ([byte]) => (byte === 7 ? Promise.reject(new Error("seven")) : "refused") },
    ],
    [/allowed: 5 ms/, { maxMs: 5, run: async () => new Promise((end) => setTimeout(end, 10, "refused")) }],
    [/memory grew/, { run: keepMegabyte }],
  ];
  for (const [finding, fault] of planted) {
    const { findings } = await runTarget({ ...harmless, ...fault }, { inputs: 500, seed: 1 });
    expect(findings).toContainEqual(expect.stringMatching(finding));
  }
  expect((await runTarget(harmless, { inputs: 500, seed: 1 })).findings).toEqual([]);
});

/** Slow targets get fewer inputs. */
it.each([
  ["feeds", 4000, createFeedTarget],
  ["images", 500, createImageTarget],
  ["index files", 2000, createIndexFileTarget],
  ["HTTP bytes", 2000, createHttpTarget],
] as const)("finds nothing in changed %s", { timeout: 300_000 }, async (part, inputs, open) => {
  const target = await open();
  onTestFinished(() => target.close?.());
  const figures = await runTarget(target, { inputs, seed: testSeed(`the changed ${part}`, 1) });
  expect(figures.findings).toEqual([]);
  expect(figures.accepted + figures.refused).toBe(inputs);
});

/** The saved text index with one file changed: the same index, or a reason why it is not used. */
async function createIndexFileTarget(): Promise<FuzzTarget> {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-index-"));
  const writer = createIndexWriter(emptySnapshot);
  const snapshot = writer.apply({ upserts: [...sampleDocuments(60)], deletes: [3] }, 7);
  await writeSnapshot(folder, snapshot, "store");
  const files = readdirSync(folder).map((file) => ({
    path: join(folder, file),
    bytes: readFileSync(join(folder, file)),
  }));
  const expected = openIndex(snapshot).search({ text: "mug", offset: 0, limit: 5 });
  return {
    maxMs: 2000,
    maxGrowthMb: 32,
    // The first byte selects the file to change.
    next(random) {
      const file = below(random, files.length);
      return Buffer.concat([
        Buffer.of(file),
        mutate(random, files[file]?.bytes ?? Buffer.of(), ["\0\0\0\0", "{}", "\n", "\xff\xff\xff\xff"]),
      ]);
    },
    async run(input) {
      const file = files[input[0] ?? 0];
      if (!file) throw new Error("There is no such file.");
      writeFileSync(file.path, input.subarray(1));
      const read = readSnapshot(folder, "store");
      writeFileSync(file.path, file.bytes);
      if (!read.usable) return "refused";
      const found = openIndex(read.snapshot).search({ text: "mug", offset: 0, limit: 5 });
      if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error("a changed file was used");
      return "accepted";
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
