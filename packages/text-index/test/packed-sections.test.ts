import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedCache } from "../src/bounded-cache.ts";
import {
  createIndexWriter,
  emptySnapshot,
  type IndexDocument,
  numberColumns,
  openIndex,
} from "../src/index.ts";
import { english } from "../src/language/language.ts";
import { german } from "../src/language/languages.ts";
import { createSegmentBuilder } from "../src/segment/build/segment-builder.ts";
import { KeyReader, KeyWriter, keyLengths } from "../src/segment/packed-keys.ts";
import { eachDoc, measurePostings, packPostings, readDocs } from "../src/segment/packed-postings.ts";
import { hashOf, keyNumber, keyText, TermPostings } from "../src/segment/postings.ts";
import { openSegment } from "../src/segment/segment.ts";
import {
  allocateSections,
  columnOf,
  numberPlaces,
  type Sections,
  viewSections,
} from "../src/segment/segment-layout.ts";
import { type SegmentSize, sectionLengths } from "../src/segment/segment-tables.ts";
import { finish } from "../src/segment/steps.ts";
import {
  compareCodePoints,
  countStrings,
  frontCode,
  indexOfCoded,
  indexOfString,
  packStrings,
  unpackStrings,
} from "../src/segment/string-table.ts";
import { timesNamed, timesThing } from "../src/segment/term-roles.ts";
import { buildDocument } from "./edited-index.ts";

interface Posting {
  readonly doc: number;
  readonly impact: number;
}

/** Lists of no posting to several blocks, with gaps of every number of bits. */
const lists = fc.array(
  fc
    .tuple(
      fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 300 })),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 22 }), fc.nat(), fc.integer({ min: 1, max: 255 })), {
        minLength: 1,
        maxLength: 40,
      }),
    )
    .map(([count, steps]) => {
      let doc = -1;
      return Array.from({ length: count }, (_, i): Posting => {
        const [bits = 0, gap = 0, impact = 1] = steps[i % steps.length] ?? [];
        doc += 1 + (gap % 2 ** bits);
        return { doc, impact };
      });
    }),
  { maxLength: 6 },
);

function pack(all: ReadonlyArray<readonly Posting[]>): Sections {
  const documentsOfTerm = Uint32Array.from(all, ({ length }) => length);
  const lists = all.map((list) => ({
    docs: Uint32Array.from(list, ({ doc }) => doc),
    impacts: Uint8Array.from(list, ({ impact }) => impact),
    start: 0,
    end: list.length,
  }));
  const packed = finish(measurePostings(documentsOfTerm, lists));
  const terms = packStrings(all.map((_, i) => String(i)));
  const { sections } = allocate({ postings: all.flat().length, packed }, { terms });
  finish(packPostings(sections, lists, packed));
  return sections;
}

function allocate(size: Partial<SegmentSize>, tables: Partial<SegmentSize["tables"]>) {
  const none = packStrings([]);
  const noTables = {
    terms: none,
    words: none,
    spellings: none,
    tags: none,
    brands: none,
    categories: none,
    stores: none,
  };
  const lengths = sectionLengths({
    documents: 0,
    hasLongPrices: false,
    numberPlaces: numberPlaces(() => false),
    nameWords: 0,
    postings: 0,
    packed: { widths: new Uint8Array(), words: 0 },
    frequentTerms: 0,
    denseTerms: 0,
    keys: 0,
    phrases: 0,
    tags: 0,
    tables: { ...noTables, groups: frontCode(none), ...tables },
    ...size,
  });
  return allocateSections(lengths);
}

describe("packed postings", () => {
  it("are read as they were written: whole, one by one and by blocks", () => {
    fc.assert(
      fc.property(lists, (all) => {
        const sections = pack(all);
        all.forEach((list, term) => {
          const docs = list.map(({ doc }) => doc);
          expect(Array.from(readDocs(sections, term))).toEqual(docs);
          expect([...eachDoc(sections, term)]).toEqual(docs);
          const postings = new TermPostings(sections, term, undefined, new BoundedCache(1));
          expect(Array.from(postings.docs)).toEqual(docs);
          expect(Array.from(postings.impacts)).toEqual(list.map(({ impact }) => impact));
          const blocks = Array.from({ length: Math.ceil(list.length / 128) }, (_, i) =>
            list.slice(i * 128, (i + 1) * 128),
          );
          expect(Array.from(postings.greatestImpacts)).toEqual(
            blocks.map((block) => Math.max(...block.map(({ impact }) => impact))),
          );
          blocks.forEach((block, i) => {
            const read = postings.blockAround(i * 128 + block.length - 1);
            expect(Array.from(read.subarray(0, block.length))).toEqual(block.map(({ doc }) => doc));
          });
        });
      }),
    );
  });

  it("take fewer bits than documents have, also with a large gap", () => {
    const near = Array.from({ length: 1280 }, (_, i) => ({ doc: 3 * i, impact: 1 }));
    const { gapWords } = pack([
      near,
      [
        { doc: 0, impact: 1 },
        { doc: 1, impact: 1 },
        { doc: 2, impact: 1 },
        { doc: 2 ** 31 - 2, impact: 1 },
      ],
    ]);
    // Ten blocks with 127 gaps of two bits, and three gaps of 31 bits.
    expect(gapWords.length).toBe(10 * 8 + 3);
    const short = pack([near.slice(0, 1), near.slice(1, 3), near.slice(3, 6)]);
    expect([short.blockDocs.length, short.gapWords.length]).toEqual([0, 2 + 3]);
  });
});

describe("how often names have a term", () => {
  const builder = createSegmentBuilder({ languages: [english, german] });
  // "Lamps" of the category is another term in German, which only one document has.
  for (let id = 0; id < 300; id++)
    builder.add(buildDocument(id, { fields: { name: `Lamps Brass ${id}`, category: "Lamps" } }));
  builder.add(buildDocument(300, { fields: { name: "Lamps", category: "Andere" }, language: "de" }));
  const { sections, terms } = openSegment(builder.build());

  it.each([
    ["lamp", 600, 300],
    ["lamps", 301, 301],
    ["brass", 300, 300],
    ["17", 1, 0],
    ["absent", 0, 0],
  ])("is exact for %j: %i, and %i as the thing", (term, named, things) => {
    const id = indexOfString(terms, term);
    expect([timesNamed(sections, id), timesThing(sections, id)]).toEqual([named, things]);
  });
});

describe("numbers of strings", () => {
  it.each([
    [256, 1],
    [257, 2],
    [65_536, 2],
    [65_537, 4],
  ])("of %i strings take %i bytes each, also for a reader", (strings, bytes) => {
    const brands = { offsets: new Uint32Array(strings + 1), bytes: new Uint8Array() };
    const { buffer, sections } = allocate({ documents: 3 }, { brands });
    sections.brands.set([0, 1, strings - 1]);
    expect(Array.from(viewSections(buffer).brands)).toEqual([0, 1, strings - 1]);
    expect(sections.brands.BYTES_PER_ELEMENT).toBe(bytes);
  });
});

it("stores no number that no document has, also after a merge", () => {
  const writer = createIndexWriter(emptySnapshot);
  const stored = (id: number, numbers: IndexDocument["numbers"]) => {
    const [segment, second] = writer.apply(
      { upserts: [buildDocument(id, { numbers })], deletes: [] },
      id,
    ).segments;
    if (segment === undefined || second !== undefined) throw new Error("There is one segment.");
    const sections = viewSections(segment.buffer);
    return [sections.numbers.length, ...numberColumns.map((column) => [...columnOf(sections, column)])];
  };
  expect(stored(1, {})).toEqual([0, [Number.NaN], [Number.NaN]]);
  expect(stored(2, { rank: 7 })).toEqual([2, [Number.NaN, Number.NaN], [Number.NaN, 7]]);
  expect(stored(3, { newest: 5 })).toEqual([6, [Number.NaN, Number.NaN, 5], [Number.NaN, 7, Number.NaN]]);
});

it("keeps prices of more than 32 bits, which take 64, also after a merge", () => {
  const writer = createIndexWriter(emptySnapshot);
  const add = (id: number, priceMinor: number) =>
    writer.apply({ upserts: [buildDocument(id, { priceMinor })], deletes: [] }, id);
  const stored = () => {
    const [segment] = writer.snapshot.segments;
    if (segment === undefined) throw new Error("There is one segment.");
    const column = columnOf(viewSections(segment.buffer), "priceMinor");
    return [column.BYTES_PER_ELEMENT, ...column];
  };
  const most = 2 ** 32 - 1;
  add(1, most);
  expect(stored()).toEqual([4, most]);
  add(2, most + 1);
  expect(stored()).toEqual([8, most, most + 1]);
  const found = openIndex(writer.snapshot).search({
    text: "",
    filters: { minPriceMinor: most + 1 },
    offset: 0,
    limit: 2,
  });
  expect(found.rowIds).toEqual([2]);
});

/** Sorted, of few letters, so that many begin alike; some longer than one byte can tell. */
const texts = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "é", "😀"), maxLength: 9 }),
      fc.constantFrom(1, 1, 1, 90),
    ),
    { maxLength: 80 },
  )
  .map((parts) => [...new Set(parts.map(([part, times]) => part.repeat(times)))].toSorted(compareCodePoints));

describe("front-coded strings", () => {
  it("are the strings that were coded, and are found", () => {
    fc.assert(
      fc.property(
        texts,
        fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 4 }),
        (strings, other) => {
          const table = packStrings(strings);
          const coded = frontCode(table);
          expect(unpackStrings(coded)).toEqual(table);
          expect(coded.count).toBe(strings.length);
          expect(countStrings(coded.blockOffsets, coded.bytes)).toBe(strings.length);
          strings.forEach((text, i) => {
            expect(indexOfCoded(coded, text)).toBe(i);
          });
          expect(indexOfCoded(coded, other)).toBe(strings.indexOf(other));
        },
      ),
    );
  });

  it("take a few bytes each if they are similar", () => {
    const strings = Array.from(
      { length: 1000 },
      (_, i) => `shop/a-long-name-of-a-lamp-${String(i).padStart(4, "0")}`,
    );
    const { bytes, blockOffsets } = frontCode(packStrings(strings));
    expect(bytes.length + blockOffsets.byteLength).toBeLessThan(7 * strings.length);
  });
});

const keyed = (id: number, name: string, ...keys: string[]) => ({ ...buildDocument(id, name), keys });

describe("exact keys", () => {
  const writer = createIndexWriter(emptySnapshot);
  const upserts = [
    keyed(1, "brass lamp", "85334c0e1ae0f4864e1dc7cc", "SKU-0001", "brass-lamp-85334c0e"),
    keyed(2, "lamp oil", "lamp"),
    keyed(3, "oak shelf", "4006381333931"),
    keyed(4, "oak desk", "00012345678905"),
    keyed(5, "oak stool", "96385074"),
    keyed(6, "oak bench", "00077"),
    ...Array.from({ length: 20 }, (_, i) => keyed(10 + i, `lamp number ${i}`)),
  ];
  const index = openIndex(writer.apply({ upserts, deletes: [] }, 1));
  const search = (text: string) => index.search({ text, offset: 0, limit: 5 });

  it.each([
    ["85334c0e1ae0f4864e1dc7cc", 1],
    ["85334C0E1AE0F4864E1DC7CC", 1],
    ["sku0001", 1],
    ["SKU 0001", 1],
    ["brass-lamp-85334c0e", 1],
    ["4006381333931", 3],
    ["400-6381-333931", 3],
    ["04006381333931", 3],
    ["EAN: 4006381333931", 3],
    ["gtin-14 0 4006381 333931", 3],
    ["UPC 012345678905", 4],
    ["12345678905", 4],
    ["00012345678905", 4],
    ["0096385074", 5],
  ])("%s finds its document first", (text, id) => {
    const { rowIds: ids, words, correctedText } = search(text);
    expect(ids[0]).toBe(id);
    expect(words.every(({ as }) => as === "matched")).toBe(true);
    expect(correctedText).toBeUndefined();
  });

  it("stand with their documents, in segments of any size", () => {
    const sizes = fc
      .nat({ max: 2 ** 32 - 1 })
      .chain((most) => fc.integer({ min: 1, max: 27 }).map((bits) => (most % 2 ** bits) + 1));
    const pairs = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }), fc.nat()), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(sizes, pairs, (documents, all) => {
        const keys = all.map(([key]) => Number(key)).sort((a, b) => a - b);
        const docs = all.map(([, doc]) => documents - 1 - (doc % documents));
        const lengths = keyLengths(documents, keys.length);
        const sections = {
          keyStarts: new Uint32Array(lengths.keyStarts),
          keyLows: new Uint32Array(lengths.keyLows),
          keyRests: new Uint8Array(lengths.keyRests),
        };
        const writer = new KeyWriter(sections, documents);
        for (const [i, key] of keys.entries()) writer.add(key, docs[i] ?? 0);
        writer.end();
        const reader = new KeyReader(sections, documents);
        for (const [i, key] of keys.entries()) {
          const bucket = reader.bucketOf(key);
          expect(reader.start(bucket)).toBeLessThanOrEqual(i);
          expect(reader.start(bucket + 1)).toBeGreaterThan(i);
          expect([reader.keyAt(i, bucket), reader.docAt(i)]).toEqual([key, docs[i]]);
        }
      }),
    );
  });

  it("have the number of their normalised form", () => {
    const keys = fc.string({ unit: fc.constantFrom(..."0019aAé- "), maxLength: 14 });
    fc.assert(
      fc.property(keys, (text) => {
        const key = keyText(text);
        expect(keyNumber(text)).toBe(key && hashOf(key));
      }),
      { numRuns: 2000 },
    );
  });

  it("of fewer digits than a GTIN differ in their zeros", () => {
    expect(search("00077").rowIds).toEqual([6]);
    expect(search("77").rowIds).not.toContain(6);
  });

  it("that are also words hide no other document", () => {
    const { rowIds: ids, total } = search("lamp");
    expect(ids[0]).toBe(2);
    expect(total).toBe(22);
  });

  it("obey filters, and those of deleted documents find nothing", () => {
    const query = { text: "SKU-0001", offset: 0, limit: 5 };
    expect(index.search({ ...query, filters: { source: 1 } }).total).toBe(0);
    expect(openIndex(writer.apply({ upserts: [], deletes: [1] }, 2)).search(query).total).toBe(0);
  });

  it("survive merges", () => {
    const edits = fc.array(
      fc.record({
        upserts: fc.array(fc.nat(300), { maxLength: 40 }),
        deletes: fc.array(fc.nat(300), { maxLength: 20 }),
      }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(edits, (history) => {
        const merging = createIndexWriter(emptySnapshot);
        const alive = new Set<number>();
        history.forEach(({ upserts: added, deletes }, i) => {
          const gone = deletes.filter((id) => !added.includes(id));
          merging.apply(
            { upserts: added.map((id) => keyed(id, "thing", `code-${id}`, "shared")), deletes: gone },
            i,
          );
          for (const id of gone) alive.delete(id);
          for (const id of added) alive.add(id);
        });
        while (merging.mergePending) merging.mergeFor(1000);
        const merged = openIndex(merging.snapshot);
        const found = (text: string) => merged.search({ text, offset: 0, limit: 400 }).rowIds;
        for (let id = 0; id <= 300; id += 7) expect(found(`code ${id}`)).toEqual(alive.has(id) ? [id] : []);
        expect(found("shared").sort((a, b) => a - b)).toEqual([...alive].sort((a, b) => a - b));
      }),
      { numRuns: 15 },
    );
  });
});
