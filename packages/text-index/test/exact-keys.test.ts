import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIndexWriter, emptySnapshot, openIndex } from "../src/index.ts";
import { hashOf, keyNumber, keyText } from "../src/segment/exact-keys.ts";
import { buildDocument } from "./build-document.ts";

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
