import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createSegmentBuilder,
  facetKinds,
  openIndex,
  readSnapshot,
  type Snapshot,
  snapshotOf,
  type TextIndex,
  writeSnapshot,
} from "../src/index.ts";
import { openSegment } from "../src/segment/segment.ts";
import { buildDocument } from "./edited-index.ts";

const folder = mkdtempSync(join(tmpdir(), "text-index-"));
afterAll(() => rmSync(folder, { recursive: true }));

let snapshot: Snapshot;
let index: TextIndex;
beforeAll(() => {
  const builder = createSegmentBuilder();
  const names = [
    "oak lamp",
    "Größe 12 ½",
    "シャツ blue",
    "مصباح أحمر",
    "лампа 🛋️ sofa",
    "\u202elamp\u202c",
    "wd-40 o'clock",
  ];
  for (let id = 0; id < 200; id++) builder.add(buildDocument(id, `${names[id % names.length]} ${id}`));
  snapshot = snapshotOf(builder.build(), 3);
  index = openIndex(snapshot);
});

describe("any query", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary", maxLength: 512 }),
    fc.string({ unit: "grapheme", maxLength: 512 }),
    fc.uint8Array({ maxLength: 512 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    fc
      .array(
        fc.constantFrom("lamp", "oak", "the", "for", "!", "\u200f", "👩‍👩‍👧", "'", '"', "½", "オ", "\ud800"),
        { maxLength: 90 },
      )
      .map((parts) => parts.join("")),
  );

  it("returns a page that fits its total, in limited time", () => {
    fc.assert(
      fc.property(anyText, fc.nat(50), (text, offset) => {
        const result = index.search({ text, offset, limit: 10, facets: { names: facetKinds, maxValues: 3 } });
        expect(result.rowIds.length).toBe(Math.min(10, Math.max(0, result.total - offset)));
        expect(result.words.length).toBeLessThanOrEqual(64);
        index.vocabulary.findBrands(text, 20);
        index.vocabulary.brandsNamedIn(text);
        index.vocabulary.frequency(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a segment file with any bytes", () => {
  const entry = () => readdirSync(folder).find((file) => file.includes(".segment-")) ?? "";

  it("is never accepted", async () => {
    await writeSnapshot(folder, snapshot, "store");
    const path = join(folder, entry());
    const whole = readFileSync(path);
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, change]) => {
        const copy = Buffer.from(whole);
        copy[at] = (copy[at] ?? 0) ^ change;
        return copy;
      }),
      fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
    );
    fc.assert(
      fc.property(damaged, (bytes) => {
        writeFileSync(path, bytes);
        expect(readSnapshot(folder, "store").usable).toBe(false);
      }),
      { numRuns: 200 },
    );
    writeFileSync(path, whole);
    expect(readSnapshot(folder, "store").usable).toBe(true);
  });

  it("is also refused as a manifest, even with a correct checksum", () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const line = body.replaceAll("\n", " ");
        writeFileSync(join(folder, "manifest.json"), `${crc32(line)}\n${line}\n`);
        expect(readSnapshot(folder, "store").usable).toBe(false);
      }),
    );
  });

  it("is refused when it is opened directly, or opens without reading past its end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, keepsHeader) => {
        const buffer = new SharedArrayBuffer(bytes.length);
        new Uint8Array(buffer).set(bytes);
        const magic = snapshot.segments[0];
        if (keepsHeader && magic !== undefined && bytes.length >= 8) {
          new Uint8Array(buffer).set(new Uint8Array(magic.buffer).slice(0, 8));
        }
        expect(() => openSegment({ key: "fuzz", buffer })).toThrow(/segment/);
      }),
      { numRuns: 300 },
    );
  });
});
