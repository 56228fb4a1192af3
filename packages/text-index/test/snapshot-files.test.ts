import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  openIndex,
  readSnapshot,
  type Snapshot,
  writeSnapshot,
} from "../src/index.ts";
import { buildDocument } from "./edited-index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "text-index-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writerWithLamps() {
  const writer = createIndexWriter(emptySnapshot);
  const upserts = Array.from({ length: 50 }, (_, id) => buildDocument(id, `lamp ${id}`));
  writer.apply({ upserts, deletes: [] }, 7);
  return writer;
}

describe("snapshot files", () => {
  it("restore the index, its deletions and its sequence number", async () => {
    const writer = writerWithLamps();
    await writeSnapshot(folder, writer.apply({ upserts: [], deletes: [3, 4] }, 8), "store");
    const read = readSnapshot(folder, "store");
    if (!read.usable) throw new Error(read.reason);
    const index = openIndex(read.snapshot);
    expect(index.sequence).toBe(8);
    expect(index.documents).toBe(48);
    // The end of a segment is not in its file, but derived.
    const [restored, written] = [read.snapshot, writer.snapshot].map(({ segments: [segment] }) =>
      Buffer.from(segment?.buffer ?? new SharedArrayBuffer()),
    );
    expect(restored).toEqual(written);
    const [file = ""] = readdirSync(folder).filter((name) => name.includes(".segment-"));
    expect(readFileSync(join(folder, file)).length).toBeLessThan(written?.length ?? 0);
    expect(index.search({ text: "lamp", offset: 0, limit: 3 })).toEqual(
      openIndex(writer.snapshot).search({ text: "lamp", offset: 0, limit: 3 }),
    );
  });

  it("restore every byte of files of several pieces, of which some become smaller", async () => {
    const writer = createIndexWriter(emptySnapshot);
    const upserts = Array.from({ length: 12_000 }, (_, id) => ({
      ...buildDocument(id, `lamp ${id}`),
      // Keys are stored as numbers that look random.
      keys: Array.from({ length: 12 }, (_, i) => `key ${id} ${i}`),
    }));
    const snapshot = writer.apply({ upserts, deletes: [3, 5000] }, 9);
    await writeSnapshot(folder, snapshot, "store");
    const read = readSnapshot(folder, "store");
    const bytesOf = (one: Snapshot) =>
      one.segments.map(({ buffer, deletions }) => [Buffer.from(buffer), deletions]);
    expect(read.usable && bytesOf(read.snapshot)).toEqual(bytesOf(snapshot));
    const [plain = 0] = snapshot.segments.map(({ buffer }) => buffer.byteLength);
    const stored = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(plain).toBeGreaterThan(2 ** 21);
    expect(stored).toBeLessThan(0.85 * plain);
  });

  it("write only changed segments and remove unused ones", async () => {
    const writer = writerWithLamps();
    await writeSnapshot(folder, writer.snapshot, "store");
    const [segment] = readdirSync(folder).filter((file) => file.includes(".segment-"));
    const path = join(folder, segment ?? "");
    writeFileSync(path, readFileSync(path).fill(1));
    await writeSnapshot(folder, writer.apply({ upserts: [], deletes: [1] }, 8), "store");
    expect(readFileSync(path)[0]).toBe(1);
    await writeSnapshot(folder, writerWithLamps().snapshot, "store");
    expect(readdirSync(folder)).toHaveLength(2);
    expect(readSnapshot(folder, "store").usable).toBe(true);
  });

  it("are refused if they have another identity or do not exist", async () => {
    await writeSnapshot(folder, writerWithLamps().snapshot, "store");
    expect(readSnapshot(folder, "other")).toMatchObject({
      usable: false,
      reason: "it belongs to another store or to other languages",
    });
    expect(readSnapshot(join(folder, "absent"), "store").usable).toBe(false);
  });

  it("are refused if a byte of any file is changed or missing", async () => {
    await writeSnapshot(folder, writerWithLamps().apply({ upserts: [], deletes: [1] }, 8), "store");
    const damages = [
      (bytes: Buffer) => bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)),
      (bytes: Buffer) => bytes.subarray(0, -1),
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)]),
      () => Buffer.alloc(0),
    ];
    for (const file of readdirSync(folder)) {
      const whole = readFileSync(join(folder, file));
      for (const damage of damages) {
        // Anything after the manifest's last line is not read, so it cannot do harm.
        if (
          file === "manifest.json" &&
          damage(whole).length >= whole.length - 1 &&
          damage(whole).length !== whole.length
        )
          continue;
        writeFileSync(join(folder, file), damage(whole));
        expect(readSnapshot(folder, "store").usable, `${file} damaged`).toBe(false);
      }
      writeFileSync(join(folder, file), whole);
      expect(readSnapshot(folder, "store").usable).toBe(true);
    }
  });

  it("are complete if several processes save to one folder at once, with shared and own segments", async () => {
    const shared = writerWithLamps();
    const snapshots = [1, 2, 3, 4].flatMap((id) => [
      shared.apply({ upserts: [], deletes: [id] }, 7 + id),
      writerWithLamps().snapshot,
    ]);
    for (let round = 0; round < 10; round++) {
      await Promise.all(snapshots.map((snapshot) => writeSnapshot(folder, snapshot, "store")));
      expect(readSnapshot(folder, "store")).toMatchObject({ usable: true });
      expect(readdirSync(folder).filter((file) => file.endsWith(".new"))).toEqual([]);
    }
  });

  it("of other processes are removed when they are old, including those of a crash", async () => {
    await writeSnapshot(folder, writerWithLamps().snapshot, "store");
    const stale = "0193b5f2-8f4e-7d31-a5c6-52f0c8a4b1e7";
    for (const name of [`${stale}.segment-00000000`, `manifest.json.${stale}.new`, "fresh.new"]) {
      writeFileSync(join(folder, name), "");
      const hoursAgo = new Date(Date.now() - (name.startsWith("fresh") ? 0 : 2) * 3_600_000);
      utimesSync(join(folder, name), hoursAgo, hoursAgo);
    }
    await writeSnapshot(folder, writerWithLamps().snapshot, "store");
    expect(readdirSync(folder).filter((file) => !file.includes(".segment-"))).toEqual([
      "fresh.new",
      "manifest.json",
    ]);
    expect(readdirSync(folder)).toHaveLength(3);
  });
});
