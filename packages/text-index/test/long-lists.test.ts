import { describe, expect, it } from "vitest";
import { createIndexWriter, emptySnapshot, openIndex, type SearchQuery } from "../src/index.ts";
import { buildDocument } from "./build-document.ts";

const words = ["lamp", "oak", "velvet", "chair", "blue", "brass"];
const documents = 3000;

/** Lists of many blocks with different impacts, over two segments, with deletions in the older one. */
function openLongLists() {
  const writer = createIndexWriter(emptySnapshot);
  const text = (id: number) =>
    words.filter((_, i) => (id * 7919) % (i + 2) !== 1).join(" ".repeat(1 + (id % 2))) +
    " matt".repeat(id % 5);
  const all = Array.from({ length: documents }, (_, id) =>
    buildDocument(id, {
      fields: { name: text(id) },
      priceMinor: 100 * ((id * 31) % 97),
      rating: id % 6,
      quality: id % 11,
    }),
  );
  writer.apply({ upserts: all, deletes: [] }, 1);
  const deletes = Array.from({ length: 200 }, (_, i) => i * 13);
  return openIndex(writer.apply({ upserts: [], deletes }, 2));
}

const index = openLongLists();
const queries: SearchQuery[] = [
  "lamp",
  "velvet",
  "oak chair",
  "brass blue lamp",
  "matt",
  "matt oak velvet",
].flatMap((text) =>
  (["relevance", "price", "price:relevance", "rating"] as const).flatMap((sort) =>
    (["asc", "desc"] as const).map((order) => ({ text, sort, order, offset: 0, limit: 20 })),
  ),
);

describe("long lists", () => {
  it.each(queries)("give the page of $text by $sort $order that a look at every match would", (query) => {
    const every = index.search({ ...query, limit: documents });
    expect(every.ids).toHaveLength(every.total);
    for (const offset of [0, 20, 1000]) {
      const page = index.search({ ...query, offset });
      expect(page.ids).toEqual(every.ids.slice(offset, offset + query.limit));
      expect(page.total).toBe(every.total);
    }
  });

  it.each(queries)("give the same for $text by $sort $order with a filter that excludes nothing", (query) => {
    const filters = { minPriceMinor: 0 };
    expect(index.search({ ...query, filters })).toEqual(index.search(query));
  });
});
