import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  facetKinds,
  openIndex,
  readSnapshot,
  type SearchQuery,
  type SearchResult,
  type Snapshot,
  snapshotOf,
  type TextIndex,
  writeSnapshot,
} from "../src/index.ts";
import { copyDeletions, markDeleted, openSegment, type SnapshotSegment } from "../src/segment/segment.ts";
import { termOf, tokenize } from "../src/text/tokenize.ts";
import { documentArbitrary, editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { buildDocument, NaiveIndex, replay } from "./edited-index.ts";

describe("agreement", () => {
  const folder = mkdtempSync(join(tmpdir(), "text-index-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const edits = fc.array(editArbitrary, { minLength: 1, maxLength: 8 });
  const queries = fc.array(queryArbitrary, { minLength: 1, maxLength: 10 });

  /** Everything that must be true for a query, whatever changes the index had before. */
  function expectAgreement(index: TextIndex, naive: NaiveIndex, query: SearchQuery): void {
    const strict = { ...query, everyWord: true };
    const expected = naive.sorted(strict);
    const all = index.search({ ...strict, offset: 0, limit: 100 });
    expect(all.total).toBe(expected.length);
    expect([...all.rowIds].sort()).toEqual([...expected].sort());
    if (query.sort === "price" || query.text === "") {
      const plain = query.sort === "price:relevance" ? "price" : query.sort;
      const order = query.order ?? (plain === "price" ? "asc" : "desc");
      const wanted = naive.sorted({ ...strict, sort: plain, order });
      // Without words there is no relevance, so documents are ordered by quality.
      if (query.sort !== "relevance" || order === "desc") expect(all.rowIds).toEqual(wanted);
    }
    const page = index.search(strict);
    expect(page.rowIds).toEqual(all.rowIds.slice(query.offset, query.offset + query.limit));
    const relaxed = index.search({ ...query, offset: 0, limit: 100 });
    expect(relaxed.rowIds).toHaveLength(relaxed.total);
    // If the name of a thing is only in descriptions, no document may be that thing.
    if (relaxed.absentThing !== undefined) expect(relaxed.total).toBe(0);
    else expect(relaxed.total).toBeGreaterThanOrEqual(expected.length);
    expect(new Set(relaxed.rowIds).size).toBe(relaxed.total);
    expectOneReading(index, query, relaxed);
    expectRelated(index, naive, query, relaxed.rowIds);
  }

  /** The text means the same whatever the order, and with more filters there are never more products. */
  function expectOneReading(
    index: TextIndex,
    query: SearchQuery,
    { total, words, rowIds: ids }: SearchResult,
  ): void {
    for (const sort of ["relevance", "price", "rating", "popularity"] as const)
      for (const order of ["asc", "desc"] as const) {
        const other = index.search({ ...query, sort, order, offset: 0, limit: 100 });
        expect([other.total, other.words]).toEqual([total, words]);
        expect([...other.rowIds].sort()).toEqual([...ids].sort());
      }
    const fewer = index.search({ ...query, filters: { ...query.filters, minDiscount: 33.3 } });
    expect(fewer.total).toBeLessThanOrEqual(total);
    expect(fewer.words).toEqual(words);
  }

  /** Related documents, if requested, are all documents with only some of the words, and none of the matches. */
  function expectRelated(index: TextIndex, naive: NaiveIndex, query: SearchQuery, matches: number[]): void {
    const { relatedRowIds: relatedIds } = index.search({ ...query, offset: 0, limit: 1, relatedCount: 100 });
    const known = new Set(naive.withAnyWord(query));
    // A word that is not required ("12" is, "the" is not) does not count here, nor does a misspelt one.
    for (const id of relatedIds) expect(known.has(id) && !matches.includes(id)).toBe(true);
    expect(new Set(relatedIds).size).toBe(relatedIds.length);
    const others = [...known].filter((id) => !matches.includes(id));
    expect(relatedIds.length).toBe(others.length);
    expect(index.search({ ...query, relatedCount: 3 }).relatedRowIds).toEqual(relatedIds.slice(0, 3));
  }

  describe("the index agrees with a naive scan", () => {
    it("after any changes, in one delta or with merges of everything", () => {
      fc.assert(
        fc.property(edits, queries, (history, list) => {
          const { writer, naive } = replay(history);
          const index = openIndex(writer.snapshot);
          expect(index.documents).toBe(naive.documents.size);
          for (const query of list) expectAgreement(index, naive, query);
        }),
        { numRuns: 60 },
      );
    });

    it("over several segments with deletions", () => {
      fc.assert(
        fc.property(fc.array(editArbitrary, { minLength: 2, maxLength: 4 }), queries, (history, list) => {
          const naive = new NaiveIndex();
          const segments = history.flatMap(({ upserts }) => {
            const builder = createSegmentBuilder();
            for (const document of upserts) builder.add(document);
            return snapshotOf(builder.build(), 0).segments;
          });
          // Documents of later segments replace those of earlier ones: the test deletes what the writer would.
          const writer = createIndexWriter({ sequence: 0, segments: [] });
          history.forEach((edit, i) => {
            writer.apply({ upserts: edit.upserts, deletes: [] }, i);
            naive.apply(edit.upserts, []);
          });
          const seen = new Set<number>();
          const newestFirst = [...segments].reverse().map((segment) => deleteSeen(segment, seen));
          const index = openIndex({ sequence: 1, segments: newestFirst.reverse() });
          for (const query of list) {
            expectAgreement(index, naive, query);
            const strict = { ...query, sort: "price", everyWord: true } as const;
            expect(index.search(strict).rowIds).toEqual(openIndex(writer.snapshot).search(strict).rowIds);
          }
        }),
        { numRuns: 30 },
      );
    });

    it("after a restart from files", async () => {
      await fc.assert(
        fc.asyncProperty(edits, edits, queries, async (before, after, list) => {
          const { writer, naive } = replay(before);
          await writeSnapshot(folder, writer.snapshot, "store");
          const read = readSnapshot(folder, "store");
          if (!read.usable) throw new Error(read.reason);
          const restarted = createIndexWriter(read.snapshot);
          after.forEach((edit, i) => {
            restarted.apply(edit, before.length + i + 1);
            naive.apply(edit.upserts, edit.deletes);
          });
          const index = openIndex(restarted.snapshot);
          for (const query of list) expectAgreement(index, naive, query);
        }),
        { numRuns: 30 },
      );
    });

    it("ranks like a new build after everything is merged", () => {
      fc.assert(
        fc.property(edits, queries, (history, list) => {
          const { writer, naive } = replay(history);
          const builder = createSegmentBuilder();
          for (const document of naive.documents.values()) builder.add(document);
          const fresh = openIndex(snapshotOf(builder.build(), 0));
          // Words of deleted documents count towards rarity until a merge removes them.
          fc.pre(writer.snapshot.segments.every(({ deletedCount }) => deletedCount === 0));
          const merged = openIndex(writer.snapshot);
          for (const query of list) expect(merged.search(query)).toEqual(fresh.search(query));
        }),
        { numRuns: 30 },
      );
    });
  });

  describe("the index agrees with SQLite FTS5", () => {
    it("about which documents have all the words", () => {
      fc.assert(
        fc.property(fc.array(documentArbitrary, { maxLength: 30 }), queries, (documents, list) => {
          const byId = new Map(documents.map((document) => [document.id, document]));
          const builder = createSegmentBuilder();
          for (const document of byId.values()) builder.add(document);
          const index = openIndex(snapshotOf(builder.build(), 0));
          const database = new DatabaseSync(":memory:");
          database.exec("create virtual table documents using fts5 (text)");
          // FTS5 gets our terms: the test compares the search, not how text becomes terms.
          const insert = database.prepare("insert into documents (rowid, text) values (?, ?)");
          for (const { id, fields } of byId.values())
            insert.run(id, hexTerms(Object.values({ ...fields, store: "" }).join(" "), "document"));
          const matching = database.prepare("select rowid from documents where documents match ?");
          for (const { text } of list) {
            const terms = hexTerms(text, "query");
            if (terms === "") continue;
            const { rowIds: ids, total } = index.search({ text, offset: 0, limit: 100, everyWord: true });
            const expected = matching.all(terms).map(({ rowid }) => Number(rowid));
            expect([...ids].sort()).toEqual([...expected].sort());
            expect(total).toBe(expected.length);
          }
          database.close();
        }),
        { numRuns: 30 },
      );
    });
  });

  /** Terms in hexadecimal, so that FTS5's own tokenizer does not split them. */
  function hexTerms(text: string, purpose: "document" | "query"): string {
    return tokenize(text, purpose)
      .map((word) => Buffer.from(termOf(word)).toString("hex"))
      .join(" ");
  }

  /** Deletes the documents of newer segments from a segment, and records its own. */
  function deleteSeen(segment: SnapshotSegment, seen: Set<number>): SnapshotSegment {
    const { documents, sections } = openSegment(segment);
    const deletions = copyDeletions(documents, undefined);
    let deletedCount = 0;
    sections.ids.forEach((id, doc) => {
      if (seen.has(id) && markDeleted(deletions, doc)) deletedCount++;
      seen.add(id);
    });
    return { ...segment, deletions, deletedCount };
  }
});

describe("fuzz", () => {
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
          fc.constantFrom(
            "lamp",
            "oak",
            "the",
            "for",
            "!",
            "\u200f",
            "👩‍👩‍👧",
            "'",
            '"',
            "½",
            "オ",
            "\ud800",
          ),
          { maxLength: 90 },
        )
        .map((parts) => parts.join("")),
    );

    it("returns a page that fits its total, in limited time", () => {
      fc.assert(
        fc.property(anyText, fc.nat(50), (text, offset) => {
          const result = index.search({
            text,
            offset,
            limit: 10,
            facets: { names: facetKinds, maxValues: 3 },
          });
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
});
