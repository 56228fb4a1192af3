import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productSources } from "@product-search/core/domain/fields.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { createFairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { TextHits, TextQuery } from "@product-search/core/ports/text-search.ts";
import { storedProduct } from "@product-search/testing/array-catalog.ts";
import { createSegmentBuilder, snapshotOf } from "@product-search/text-index";
import { createKindTable, findKinds, openWordMeaning, readMeaning } from "@product-search/word-meaning";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedTextSearch } from "../embedded.ts";
import {
  createKindFinder,
  createSearchByMeaning,
  followKinds,
  type KindsOfCatalog,
  readKindVectors,
  saveKindVectors,
  type TranslateText,
} from "./search-by-meaning.ts";

describe("search by meaning", async () => {
  const things: readonly [category: string, thing: string, description: string][] = [
    ["Chairs", "Dining Chair", "A seat with a backrest for meals."],
    ["Sofas", "Two-Seater Sofa", "Soft seats for two."],
    ["Shoes", "Running Shoes", "Cushioned sole for jogging."],
    ["Jackets", "Rain Jacket", "Waterproof, with a hood for storms and hiking."],
    ["Lamps", "Desk Lamp", "Light beside reading chairs."],
  ];
  const rows = things.flatMap(([category, thing, description], kind) =>
    ["Auro", "Bela", "Cori"].map((model, at) => ({
      id: 1 + kind * 3 + at,
      name: `${model} ${thing}, ${at === 0 ? "Black" : "Green"}`,
      category,
      description,
    })),
  );
  const namesOf = (ids: readonly number[]) => ids.map((id) => rows.find((row) => row.id === id)?.name);

  const memory = readMeaning();
  const kindsOf = async (products: typeof rows): Promise<KindsOfCatalog> => {
    const meaning = openWordMeaning(memory);
    const texts = products.map(({ name, category, description }) => ({
      name,
      category,
      description,
      brand: "",
      path: [],
    }));
    return { memory, table: await createKindTable(meaning, findKinds(meaning, texts)) };
  };

  function openSearch(
    translate: TranslateText = async () => undefined,
    kinds?: KindsOfCatalog,
    products = rows,
  ) {
    const builder = createSegmentBuilder();
    for (const { id, name, category, description } of products)
      builder.add({
        id,
        tie: id,
        keys: [],
        fields: { name, brand: "", store: "Corner", description, category },
        source: 0,
        priceMinor: 100 * id,
        rating: 0,
        discount: 0,
        quality: 0,
        availability: 0,
      });
    const snapshot = snapshotOf(builder.build(), 0);
    return createSearchByMeaning({
      textSearch: createEmbeddedTextSearch({ subscribe: (receive) => receive(snapshot) }),
      kindFinder: createKindFinder((receive) => {
        if (kinds !== undefined) receive(kinds);
      }),
      translate,
    });
  }

  const german = (text: string, ...beside: string[]) => ({ text, language: "de" as const, beside });
  const known = await kindsOf(rows);
  const query = (text: string, change: Partial<TextQuery> = {}): TextQuery => ({
    text,
    filters: { source: "catalog" },
    sort: "relevance",
    offset: 0,
    limit: 20,
    byMeaning: true,
    ...change,
  });
  const { signal } = new AbortController();
  const search = (text: string, change?: Partial<TextQuery>) =>
    openSearch(undefined, known).search(query(text, change), signal);

  describe("a search by meaning", () => {
    it("finds the products of the kinds that a text means, and counts them and their facets exactly", async () => {
      const hits = await search("something to sit on", { facets: { names: ["categories"], maxValues: 10 } });
      const names = namesOf(hits.rowIds);
      expect(names.every((name) => /Chair|Sofa/.test(name ?? ""))).toBe(true);
      expect(hits.total).toBe(names.length);
      const counted = hits.facets?.categories ?? [];
      expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(hits.total);
      expect(hits.kinds?.length).toBeGreaterThan(0);
      expect(hits.droppedWords).toEqual([]);
    });

    it("finds all kinds below an umbrella word", async () => {
      const hits = await search("furniture");
      const names = namesOf(hits.rowIds).join("|");
      expect(names).toContain("Chair");
      expect(names).toContain("Sofa");
      expect(names).not.toContain("Shoes");
    });

    it("keeps the other words of the text", async () => {
      expect(namesOf((await search("black furniture")).rowIds).every((name) => name?.endsWith("Black"))).toBe(
        true,
      );
      expect(namesOf((await search("clothes for hiking")).rowIds)[0]).toContain("Rain Jacket");
    });

    it("keeps the filters of the query", async () => {
      const all = await search("furniture");
      const cheap = await search("furniture", { filters: { source: "catalog", maxPriceMinor: 200 } });
      expect(cheap.total).toBe(2);
      expect(all.total).toBeGreaterThan(2);
      expect(
        (await search("furniture", { filters: { source: "catalog", categories: ["Shoes"] } })).total,
      ).toBe(0);
    });

    it("leaves a good reading alone", async () => {
      const hits = await search("desk lamp");
      expect(hits.kinds).toBeUndefined();
      expect(hits.total).toBe(3);
    });

    it("finds nothing for what the catalog lacks", async () => {
      expect((await search("swimsuit")).total).toBe(0);
      expect((await search("microwave")).kinds).toBeUndefined();
      expect(await search("unicorn desk lamp")).toMatchObject({ total: 0, sourceHas: "nothing" });
    });

    it("takes what has only a part of the name of a thing as related, and counts nothing", async () => {
      const hits = await search("coconut chair", {
        relatedCount: 2,
        facets: { names: ["categories"], maxValues: 10 },
      });
      expect(hits).toMatchObject({ rowIds: [], total: 0 });
      expect(namesOf(hits.relatedRowIds ?? []).every((name) => name?.includes("Dining Chair"))).toBe(true);
      expect(hits.relatedRowIds).toHaveLength(2);
      expect(hits.facets?.categories).toEqual([]);
    });

    it.each([
      ["what the text names", "something to wear", { sourceHas: "thing", droppedWords: ["wear"] }],
      ["all words in descriptions", "something to wear", { sourceHas: "words", droppedWords: [] }],
      ["a number", "wear 42", { sourceHas: "nothing", droppedWords: [] }],
      [
        "the second of two words for a thing",
        "unicorn chair",
        { sourceHas: "nothing", thing: "chair", droppedWords: ["unicorn"] },
      ],
    ] as const)("does not happen where the source has %s", async (_, text, reading) => {
      const shoes = { name: "Shoes", category: "Shoes", words: "" };
      const first: TextHits = { rowIds: [1], total: 1, ...reading, droppedWords: [...reading.droppedWords] };
      const second: TextHits = { rowIds: [7], total: 1, sourceHas: "words", droppedWords: [] };
      const searchWith = (hits: TextHits) =>
        createSearchByMeaning({
          textSearch: {
            ...openSearch(),
            search: async ({ filters }) => (filters.kinds === undefined ? hits : second),
          },
          kindFinder: {
            kindsMeant: () => ({
              kinds: [shoes],
              closest: [shoes],
              otherWords: [],
              isUmbrella: false,
              meantWords: [],
            }),
            kindsNear: () => [],
            namedThing: () => undefined,
            isFixedName: () => false,
          },
          translate: async () => undefined,
        }).search(query(text), signal);
      expect((await searchWith(first)).rowIds).toEqual([1]);
      const { thing: _thing, ...unsure } = first;
      const poor = { ...unsure, sourceHas: "nothing" } as const;
      expect((await searchWith(poor)).rowIds).toEqual(/\d/.test(text) ? [1] : [7]);
    });

    it.each([
      ["desk lamp from Corner", ["Corner"], 3],
      ["desk lamp at the corner", ["Corner"], 3],
      ["corner", ["Corner"], 15],
      ["corner lamp", undefined, undefined],
      ["something from Corner", ["Corner"], 15],
      ["unicorn from Corner", ["Corner"], 0],
      ["unicornio de Corner", ["Corner"], 0],
      ["meals from the corner", ["Corner"], 3],
    ] as const)("reads a store only where the text asks for one: %s", async (text, stores, total) => {
      const hits = await search(text);
      expect(hits.stores).toEqual(stores);
      if (total !== undefined) expect(hits.total).toBe(total);
    });

    it.each(["greetings from Corner", "poster de corner"])(
      "takes a store's name after a link for words where a product has them: %s",
      async (text) => {
        const poster = { id: 99, name: "Poster", category: "Posters", description: "Greetings from Corner." };
        const searching = openSearch(undefined, known, [...rows, poster]);
        const hits = await searching.search(query(text), signal);
        expect(hits.stores).toBeUndefined();
        expect(hits.rowIds).toEqual([99]);
      },
    );

    it("means the same under every filter", async () => {
      for (const text of ["furniture", "something to sit on", "black furniture"]) {
        const { kinds, droppedWords } = await search(text);
        for (const filters of [{ maxPriceMinor: 200 }, { categories: ["Shoes"] }, { brands: ["Nobody"] }])
          expect(await search(text, { filters: { source: "catalog", ...filters } })).toMatchObject({
            kinds,
            droppedWords,
          });
      }
    });

    it("finds what is described as a gift, whatever the words of presents and people are", async () => {
      const gifts = [
        ...rows,
        { id: 99, name: "Tea Box", category: "Tea", description: "A gift for everybody." },
      ];
      const searching = openSearch(undefined, await kindsOf(gifts), gifts);
      for (const text of [
        "gift for my brother",
        "gifts for my sisters",
        "presents for my sister",
        "present for wives",
      ])
        expect((await searching.search(query(text), signal)).rowIds, text).toEqual([99]);
    });

    it("happens only on request, and once the kinds are known", async () => {
      expect((await search("furniture", { byMeaning: false })).total).toBe(0);
      expect((await openSearch().search(query("furniture"), signal)).total).toBe(0);
    });

    it("reads a text in its translation if it finds nothing else", async () => {
      const translate: TranslateText = async (text) =>
        text === "Stehlampe" ? german("desk lamp") : undefined;
      const hits = await openSearch(translate, known).search(query("Stehlampe"), signal);
      expect(namesOf(hits.rowIds)[0]).toContain("Desk Lamp");
      expect(hits.correctedText).toBe("desk lamp");
    });

    it.each([
      ["einhorn", 0],
      ["schick", 3],
    ])("finds another thing only without a noun beside the thing: %s", async (word, total) => {
      const translate: TranslateText = async () => german(`${word} desk lamp`, word);
      const hits = await openSearch(translate, known).search(query(`${word} schreibtischlampe`), signal);
      expect(hits.total).toBe(total);
    });

    it.each([
      ["sof", "Desk Lamp"],
      ["sofa", "Sofa"],
    ])("reads a word in its translation where names only begin with it: %s", async (word, name) => {
      const hits = await openSearch(async () => german("desk lamp"), known).search(query(word), signal);
      expect(namesOf(hits.rowIds)[0]).toContain(name);
    });

    it("translates before it chooses kinds", async () => {
      const translate: TranslateText = async (text) => (text === "Möbel" ? german("furniture") : undefined);
      const hits = await openSearch(translate, known).search(query("Möbel"), signal);
      expect(hits.kinds?.length).toBeGreaterThan(1);
    });
  });

  describe("a kind that a text names", () => {
    // As in many shops, some kinds have no category of their own.
    const goods: readonly [category: string, name: string][] = [
      ["Apparel", "Ridge Hoodie, Grey"],
      ["Apparel", "Summit Hoodie, Navy"],
      ["Apparel", "Coast Hoodie, Grey Fleece"],
      ["Apparel", "Ridge Beanie, Wool"],
      ["Apparel", "Summit Beanie, Black"],
      ["Apparel", "Coast Beanie, Grey"],
      ["Apparel", "Orchid Raincoat, Purple"],
      ["Apparel", "Orchid Raincoat, Long"],
      ["Apparel", "Orchid Raincoat, Short"],
      ["Lamps", "Arc Floor Lamp, Brass"],
      ["Lamps", "Bow Desk Lamp, Brass"],
      ["Lamps", "Cone Table Lamp, Oak"],
      ["Jackets", "Ridge Rain Jacket"],
      ["Jackets", "Summit Rain Jacket"],
      ["Jackets", "Coast Rain Jacket"],
      ["Jackets", "Ridge Denim Jacket"],
      ["Jackets", "Summit Denim Jacket"],
      ["Jackets", "Coast Denim Jacket"],
    ];
    const products = goods.map(([category, name], at) => ({ id: at + 1, category, name, description: "" }));
    const searching = kindsOf(products).then((kinds) => openSearch(undefined, kinds, products));
    const found = async (text: string) => {
      const hits = await (await searching).search(query(text), signal);
      return { ...hits, names: hits.rowIds.map((id) => products[id - 1]?.name ?? "") };
    };

    it.each([
      ["xyzzy lamp", /Lamp/, ["xyzzy"]],
      ["xyzzy hoodie", /Hoodie/, ["xyzzy"]],
      ["red hoodie", /Hoodie/, ["red"]],
      ["purple hoodie", /Hoodie/, ["purple"]],
      ["purple beanie", /Beanie/, ["purple"]],
      ["a turquoise lamp", /Lamp/, ["turquoise"]],
      ["the leather raincoat", /Raincoat/, ["leather"]],
      ["qwfp zxcv hoodie", /Hoodie/, ["qwfp", "zxcv"]],
      ["beanie for qwfp", /Beanie/, ["qwfp"]],
    ])("is not widened: %s", async (text, name, ignored) => {
      const { names, droppedWords, kinds } = await found(text);
      expect(names.length).toBeGreaterThan(2);
      expect(names.slice(0, 3).every((one) => name.test(one))).toBe(true);
      expect({ droppedWords, kinds }).toEqual({ droppedWords: ignored });
    });

    it.each([
      ["warm hoodie", /Hoodie/],
      ["cosy jacket", /Jacket/],
      ["comfortable lamp", /Lamp/],
    ])("is narrowed at most: %s", async (text, name) => {
      const { names, droppedWords, kinds = [] } = await found(text);
      expect(names.length).toBeGreaterThan(0);
      expect(names.every((one) => name.test(one))).toBe(true);
      expect(kinds.every((kind) => new RegExp(name, "i").test(kind))).toBe(true);
      expect(droppedWords).toEqual([text.split(" ")[0]]);
    });

    it("has only products with every word if some have", async () => {
      expect(await found("grey hoodie")).toMatchObject({ total: 2, droppedWords: [] });
    });
  });

  describe("the words of a text that kinds do not stand for", () => {
    it.each([
      ["purple furniture", ["purple"]],
      ["qwfp furniture", ["qwfp"]],
      ["something purple to sit on", ["purple"]],
    ])("are ignored: %s", async (text, ignored) => {
      const { total, droppedWords } = await search(text);
      expect(droppedWords).toEqual(ignored);
      expect(total).toBeGreaterThan(0);
    });

    it.each(["furniture", "something to sit on", "something black to sit on", "clothes for hiking"])(
      "are none in %s",
      async (text) => {
        const { total, droppedWords } = await search(text);
        expect(total).toBeGreaterThan(0);
        expect(droppedWords).toEqual([]);
      },
    );
  });

  describe("the nearest kinds", () => {
    const finder = createKindFinder((receive) => receive(known));

    it("come best first, without a least score", () => {
      const [first, ...others] = finder.kindsNear("storm", 3);
      expect(first?.kind.category).toBe("Jackets");
      expect(others).toHaveLength(2);
      expect(others.every(({ score }) => score <= (first?.score ?? 0))).toBe(true);
    });

    it("are none for words without a known meaning, or before the kinds are known", () => {
      expect(finder.kindsNear("qwxz", 3)).toEqual([]);
      expect(createKindFinder(() => {}).kindsNear("storm", 3)).toEqual([]);
    });
  });

  describe("suggestions by meaning", () => {
    const suggestion = { source: "catalog", queryLimit: 5, nameLimit: 5, productLimit: 5 } as const;

    it("are the kinds that a text means, where nothing begins like it", async () => {
      const { queries, rowIds } = await openSearch(undefined, known).suggest(
        { ...suggestion, text: "furniture" },
        signal,
      );
      expect(queries.some((text) => /chair|sofa/.test(text))).toBe(true);
      expect(rowIds.length).toBeGreaterThan(0);
    });

    it.each(["furniture 2000", "furniture FX-7"])("are none for %j, which has a number", async (text) => {
      const { queries, rowIds } = await openSearch(undefined, known).suggest({ ...suggestion, text }, signal);
      expect([...queries, ...rowIds]).toEqual([]);
    });

    it("stay empty for what the catalog lacks", async () => {
      const { queries, rowIds } = await openSearch(undefined, known).suggest(
        { ...suggestion, text: "microwave" },
        signal,
      );
      expect([...queries, ...rowIds]).toEqual([]);
    });
  });

  it("others have their turn before kinds are looked for", async () => {
    const queue = createFairQueue();
    const never = new AbortController().signal;
    const order: string[] = [];
    const ask = (name: string, work: () => Promise<unknown>) =>
      queue.run(
        name,
        () => never,
        async () => {
          await work();
          order.push(name);
        },
      );
    let short: Promise<unknown> | undefined;
    const search = openSearch(async () => {
      // As long as a search at a million products; meanwhile another request comes.
      const { user } = process.threadCpuUsage();
      while (process.threadCpuUsage().user < user + 20_000);
      short = ask("short", async () => {});
      return undefined;
    });
    const query = {
      text: "something to sit on",
      filters: {},
      sort: "relevance",
      offset: 0,
      limit: 5,
    } as const;
    await ask("long", () => search.search({ ...query, byMeaning: true }, never));
    await short;
    expect(order).toEqual(["short", "long"]);
  });
});

describe("the kinds of the catalog", () => {
  /** Follows without the rest that grows with the time that a round took: minutes on a busy machine. */
  const withoutRest: UntilChange = (_ms, signal) => pause(1, signal);

  function chairsAnd(things: readonly string[]): StoredProduct[] {
    const names = [..."ABC"].flatMap((model) =>
      ["Oak Chair", ...things].map((thing) => `Model${model} ${thing}`),
    );
    return names.map((name, at) => storedProduct({ name, price: 1 }, at + 1));
  }

  /** A catalog whose products a test replaces. */
  function openLog(products: readonly StoredProduct[]) {
    const log = {
      products,
      sequence: 1,
      faults: 0,
      lastSequence: async () => log.sequence,
      changesAfter: async () => [],
      findByRowIds: async () => [],
      countBySource: async () => ({ ...recordOf(productSources, () => 0), catalog: log.products.length }),
      async scan(after: number, limit: number) {
        if (log.faults > 0) {
          log.faults--;
          throw new Error("The database is locked.");
        }
        return log.products.filter(({ rowId }) => rowId > after).slice(0, limit);
      },
    };
    return log;
  }

  /** Follows until the names of the kinds pass. */
  async function untilKinds(
    log: ReturnType<typeof openLog>,
    passes: (names: readonly string[]) => boolean,
    onKinds: (names: readonly string[]) => void = () => {},
  ): Promise<readonly unknown[]> {
    const stopping = new AbortController();
    const errors: unknown[] = [];
    const publish = ({ table }: KindsOfCatalog) => {
      const names = table.kinds.map(({ name }) => name);
      onKinds(names);
      if (passes(names)) stopping.abort();
    };
    const onError = (error: unknown) => errors.push(error);
    const folder = mkdtempSync(join(tmpdir(), "kinds-"));
    await followKinds(
      { log, file: join(folder, "kinds.bin"), publish, onError, untilChange: withoutRest },
      stopping.signal,
    );
    rmSync(folder, { recursive: true });
    return errors;
  }

  it("publishes the kinds, and again when the catalog has changed", async () => {
    const log = openLog(chairsAnd([]));
    const published: (readonly string[])[] = [];
    await untilKinds(
      log,
      (names) => names.includes("desk lamp"),
      (names) => {
        published.push(names);
        log.products = chairsAnd(["Desk Lamp"]);
        log.sequence++;
      },
    );
    expect(published[0]).toEqual(["oak chair"]);
    expect(published).toHaveLength(2);
  });

  it("takes no number of a taxonomy for a kind", async () => {
    const products = chairsAnd([]).map((product) => ({
      ...product,
      category: "443",
      categoryPaths: [["436", "443"]],
    }));
    const published: (readonly string[])[] = [];
    await untilKinds(
      openLog(products),
      () => true,
      (names) => published.push(names),
    );
    expect(published).toEqual([["oak chair"]]);
  });

  it("neither waits nor loads the encoder if the meanings of all kinds are saved", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kinds-"));
    const file = join(folder, "kinds.bin");
    const isLoaded: boolean[] = [];
    let waits = 0;
    const untilFree = async () => void waits++;
    const onError = (error: unknown) => expect.unreachable(String(error));
    for (const things of [["Desk Lamp"], ["Desk Lamp"], ["Desk Lamp", "Wool Rug"]]) {
      const stopping = new AbortController();
      const publish = ({ memory }: KindsOfCatalog) => {
        isLoaded.push(new Uint8Array(memory.encoder.buffer).some((byte) => byte !== 0));
        setTimeout(() => stopping.abort(), 50);
      };
      await followKinds(
        { log: openLog(chairsAnd(things)), file, publish, onError, untilFree, untilChange: withoutRest },
        stopping.signal,
      );
    }
    rmSync(folder, { recursive: true });
    expect(isLoaded).toEqual([true, false, true]);
    // Before the first kinds of all.
    expect(waits).toBe(1);
  });

  it("goes on after an error", async () => {
    const log = openLog(chairsAnd([]));
    log.faults = 2;
    expect(await untilKinds(log, (names) => names.includes("oak chair"))).toHaveLength(2);
  });

  it("reads a part of a large catalog, from its beginning to its end", async () => {
    const things = ["Chair", "Lamp", "Sofa", "Kettle", "Guitar"];
    const modelOf = (at: number) => [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const products = Array.from({ length: 60_000 }, (_, at) =>
      storedProduct({ name: `${modelOf(at)} ${things[Math.floor(at / 12_000)]}`, price: 1 }, at + 1),
    );
    const log = openLog(products);
    let rows = 0;
    log.scan = async (after, limit) => {
      const found = products.slice(after, after + limit);
      rows += found.length;
      return found;
    };
    let found: readonly string[] = [];
    await untilKinds(log, (names) => {
      found = names;
      return true;
    });
    expect(found.toSorted()).toEqual(things.map((thing) => thing.toLowerCase()).toSorted());
    expect(rows).toBeLessThan(25_000);
  });

  function newFile(): string {
    const folder = mkdtempSync(join(tmpdir(), "kinds-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, "kinds.bin");
  }

  const saved = { keys: ["a".repeat(28), "b".repeat(28)], vectors: Float32Array.from([0.5, -1, 2, 0]) };

  it("reads what was saved", async () => {
    const file = newFile();
    expect(await readKindVectors(file)).toBeUndefined();
    await saveKindVectors(file, saved);
    expect(await readKindVectors(file)).toEqual(saved);
  });

  it.each([0, 9, 20, 80])("reads nothing of a file that is damaged or ends after %i bytes", async (place) => {
    const file = newFile();
    await saveKindVectors(file, saved);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, place));
    expect(await readKindVectors(file)).toBeUndefined();
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await readKindVectors(file)).toBeUndefined();
  });
});
