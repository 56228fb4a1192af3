import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createIndexWriter,
  emptySnapshot,
  openIndex,
  readSnapshot,
  writeSnapshot,
} from "@product-search/text-index";
import { sampleDocuments } from "../../../src/text/sample-documents.ts";
import { below, mutate } from "./mutate.ts";
import type { FuzzTarget } from "./run-target.ts";

/** The saved text index with one file changed: the same index, or a reason why it is not used. */
export async function createIndexFileTarget(): Promise<FuzzTarget> {
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
