import { createSegmentBuilder, snapshotOf } from "@product-search/text-index";
import { describe, expect, test } from "vitest";
import type { SynonymEdits, SynonymStore } from "../../ports/synonym-store.ts";
import { createSynonymEditor } from "./edit-synonyms.ts";
import { createEmbeddedTextSearch } from "./embedded.ts";

/** Keeps what it is told, as the SQLite store does. */
function createMemoryStore(): SynonymStore & { fail: boolean } {
  const states = new Map<string, "added" | "removed">();
  let version = 0;
  const rulesOf = (wanted: string) => [...states].flatMap(([rule, state]) => (state === wanted ? [rule] : []));
  const store = {
    fail: false,
    version: async () => {
      if (store.fail) throw new Error("disk I/O error");
      return version;
    },
    edits: async (): Promise<SynonymEdits> => ({
      version,
      added: rulesOf("added"),
      removed: rulesOf("removed"),
    }),
    put: async (rules: readonly string[], state: "added" | "removed") => {
      version++;
      for (const rule of rules) states.set(rule, state);
    },
  };
  return store;
}

describe("the editor of synonyms", () => {
  test("adds what is new, in one form, and removes what is there", async () => {
    const editor = createSynonymEditor(createMemoryStore());
    expect(await editor.add("Chesterfield, tufted sofa\n# a comment\nsofa, settee, couch")).toEqual([
      "chesterfield, tufted sofa",
    ]);
    expect(await editor.add("tufted sofa, chesterfield")).toEqual([]);
    const added = (await editor.list()).filter(({ isShipped }) => !isShipped);
    expect(added).toEqual([{ rule: "chesterfield, tufted sofa", isShipped: false }]);
    expect(await editor.remove("tufted sofa, Chesterfield")).toBe(true);
    expect(await editor.remove("tufted sofa, chesterfield")).toBe(false);
  });

  test("takes shipped rules away and gives them back", async () => {
    const editor = createSynonymEditor(createMemoryStore());
    const couch = "couch, settee, sofa";
    expect(await editor.explain("red couches")).toEqual([
      { phrase: "couches", alsoFinds: ["sofa", "settee"] },
    ]);
    expect(await editor.remove(couch)).toBe(true);
    expect(await editor.explain("red couches")).toEqual([]);
    expect(await editor.add(couch)).toEqual([couch]);
    expect((await editor.list()).find(({ rule }) => rule === couch)).toEqual({ rule: couch, isShipped: true });
  });

  test("refuses what is no rule and then adds nothing", async () => {
    const editor = createSynonymEditor(createMemoryStore());
    const before = await editor.list();
    await expect(editor.add("one, two\nthree")).rejects.toThrow("line 2");
    expect(await editor.list()).toEqual(before);
  });
});

describe("a search", () => {
  const documents = ["red sofa", "oak shelf", "zyx holder"].map((name, i) => ({
    id: i + 1,
    tieKey: name,
    fields: { name, brand: "", store: "", description: "", category: "" },
    source: 0,
    priceMinor: 100,
    rating: 0,
    discount: 0,
    quality: 0,
    availability: 0,
  }));

  function open() {
    const builder = createSegmentBuilder();
    for (const document of documents) builder.add(document);
    const snapshot = snapshotOf(builder.build(), 1);
    const store = createMemoryStore();
    let nowMs = 0;
    const textSearch = createEmbeddedTextSearch({
      subscribe: (receive) => receive(snapshot),
      synonyms: store,
      clock: { now: () => nowMs },
    });
    const find = async (text: string) => {
      const query = { filters: {}, sort: "relevance", order: "desc", offset: 0, limit: 5 } as const;
      return (await textSearch.search({ ...query, text }, new AbortController().signal)).rowIds;
    };
    const wait = (ms: number) => {
      nowMs += ms;
    };
    return { find, wait, store, editor: createSynonymEditor(store) };
  }

  test("has the changes of another process within two seconds, without a rebuild", async () => {
    const { find, wait, editor } = open();
    expect(await find("couch")).toEqual([1]);
    expect(await find("plank")).toEqual([]);
    await editor.add("plank => shelf");
    await editor.remove("couch, settee, sofa");
    wait(1001);
    expect(await find("plank")).toEqual([2]);
    expect(await find("couch")).toEqual([]);
  });

  test("asks the store at most once a second", async () => {
    const { find, wait, store } = open();
    await find("sofa");
    store.version = () => Promise.reject(new Error("asked again"));
    wait(500);
    expect(await find("couch")).toEqual([1]);
  });

  test("goes on with the synonyms it has while the store cannot be read", async () => {
    const { find, wait, store, editor } = open();
    await editor.add("plank => shelf");
    expect(await find("plank")).toEqual([2]);
    store.fail = true;
    wait(5000);
    expect(await find("plank")).toEqual([2]);
  });
});
