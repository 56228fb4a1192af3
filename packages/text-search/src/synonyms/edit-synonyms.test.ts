import { setTimeout } from "node:timers/promises";
import type { SharedVersion } from "@product-search/core/mechanisms/versions.ts";
import type { SaveSynonyms, StoredSynonyms, SynonymStore } from "@product-search/core/ports/merchandising.ts";
import { createSegmentBuilder, snapshotOf } from "@product-search/text-index";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createEmbeddedTextSearch } from "../embedded.ts";
import { createSynonymEditor } from "./edit-synonyms.ts";
import { followSynonyms } from "./follow-synonyms.ts";

const couch = "couch, settee, sofa";

/** Waits for what follows a change: the limit is for a hang, not for a slow machine. */
const eventually = (check: () => unknown) => vi.waitFor(check, 60_000);

function createMemoryStore(): SynonymStore {
  let stored: StoredSynonyms | undefined;
  let version = 0;
  return {
    version: async () => stored?.version,
    read: async () => stored,
    async replace(changes, former) {
      if (former !== stored?.version) return false;
      version += 1;
      stored = { ...changes, version: String(version) };
      return true;
    },
  };
}

/** An editor that stores its edits without an audit log, as one command does. */
function editorOf(store: SynonymStore) {
  const editor = createSynonymEditor(store);
  const save: SaveSynonyms = ({ changes, former }) => store.replace(changes, former);
  return {
    ...editor,
    add: async (text: string) => (await editor.add(text, save)).added,
    remove: (line: string) => editor.remove(line, save),
  };
}

/** A topic of the message bus. */
function createTopic(): Omit<SharedVersion, "reads"> {
  const listeners: Parameters<SharedVersion["subscribe"]>[0][] = [];
  return {
    publish(version) {
      for (const receive of listeners) receive(version);
    },
    subscribe: (receive) => void listeners.push(receive),
  };
}

describe("the synonym editor", () => {
  test("adds new rules once, however they are written, and removes them", async () => {
    const editor = editorOf(createMemoryStore());
    const text = "Chesterfield,  tufted sofa\r\n# a comment\nsofa, settee, couch";
    expect(await editor.add(text)).toEqual(["chesterfield, tufted sofa"]);
    expect(await editor.add("tufted sofa, chesterfield")).toEqual([]);
    const added = (await editor.list()).filter(({ origin }) => origin === "added");
    expect(added).toEqual([{ rule: "chesterfield, tufted sofa", origin: "added" }]);
    expect(await editor.remove("tufted sofa, Chesterfield")).toBe("chesterfield, tufted sofa");
    await expect(editor.remove("tufted sofa, chesterfield")).rejects.toThrow("There is no rule");
  });

  test("removes included rules and adds them again", async () => {
    const editor = editorOf(createMemoryStore());
    const originOfCouch = async () => (await editor.list()).find(({ rule }) => rule === couch)?.origin;
    expect(await editor.explain("red couches")).toEqual([
      { phrase: "couches", synonyms: ["sofa", "settee"] },
    ]);
    expect(await editor.remove("sofa, couch, settee")).toBe(couch);
    expect(await editor.explain("red couches")).toEqual([]);
    expect(await originOfCouch()).toBe("removed");
    expect(await editor.add(couch)).toEqual([couch]);
    expect(await originOfCouch()).toBe("included");
  });

  test("names similar rules when there is none to remove", async () => {
    const editor = editorOf(createMemoryStore());
    await expect(editor.remove("couch, sofa")).rejects.toThrow(`Similar rules: "${couch}"`);
    await expect(editor.remove("")).rejects.toThrow("Write one rule to remove");
  });

  const manyPhrases = Array.from({ length: 51 }, (_, i) => `${"x".repeat(i + 1)}y`).join(", ");
  test.each([
    ["line 2", "three"],
    ["more than 6 words", "one two three four five six seven, eight"],
    ["100 characters", `${"x".repeat(101)}, eight`],
    ["no effect", "couch, leather couch"],
    ["it has 51 phrases, and at most 50", manyPhrases],
    ["would have 51 synonyms, and at most 50", `thing => ${manyPhrases}`],
    ["at most 1000000", "# comment ".repeat(100_001)],
    ["at most 2000", Array.from({ length: 2001 }, (_, i) => `a${i}b, c${i}d`).join("\n")],
  ])("adds no rule if one is refused: %s", async (message, rules) => {
    const store = createMemoryStore();
    await expect(editorOf(store).add(`one, two\n${rules}`)).rejects.toThrow(message);
    expect(await store.version()).toBeUndefined();
  });

  test("several commands at once each have their effect", async () => {
    const editor = editorOf(createMemoryStore());
    await Promise.all(["a1, b1", "a2, b2", "a3, b3"].map((rule) => editor.add(rule)));
    const added = (await editor.list()).filter(({ origin }) => origin === "added");
    expect(added.map(({ rule }) => rule)).toEqual(["a1, b1", "a2, b2", "a3, b3"]);
  });
});

describe("a search", () => {
  async function open(store = createMemoryStore(), shared?: SharedVersion) {
    const builder = createSegmentBuilder();
    for (const [i, name] of ["red sofa", "oak shelf"].entries()) builder.add(document(i + 1, name));
    const snapshot = snapshotOf(builder.build(), 1);
    const onError = vi.fn();
    const follower = await followSynonyms({ store, shared, onError, pollMs: 5 });
    onTestFinished(() => follower.stop());
    const textSearch = createEmbeddedTextSearch({
      subscribe: (receive) => receive(snapshot),
      synonyms: follower.subscribe,
    });
    const query = { filters: {}, sort: "relevance", order: "desc", offset: 0, limit: 5 } as const;
    const find = async (text: string) =>
      (await textSearch.search({ ...query, text }, new AbortController().signal)).rowIds;
    return { find, store, editor: editorOf(store), onError };
  }

  test("applies changes without a new snapshot", async () => {
    const { find, editor } = await open();
    expect(await find("couch")).toEqual([1]);
    expect(await find("plank")).toEqual([]);
    await editor.add("plank => shelf");
    await editor.remove(couch);
    await eventually(async () => expect(await find("plank")).toEqual([2]));
    await eventually(async () => expect(await find("couch")).toEqual([]));
    await editor.remove("plank => shelf");
    await eventually(async () => expect(await find("plank")).toEqual([]));
  });

  test("has the changes from its start", async () => {
    const store = createMemoryStore();
    await editorOf(store).add("plank => shelf");
    const { find } = await open(store);
    expect(await find("plank")).toEqual([2]);
  });

  test("keeps its synonyms while the store cannot be read, and reports that once", async () => {
    const { find, store, editor, onError } = await open();
    await editor.add("plank => shelf");
    await eventually(async () => expect(await find("plank")).toEqual([2]));
    const { version } = store;
    const broken = vi.fn(() => Promise.reject(new Error("disk I/O error")));
    store.version = broken;
    await eventually(() => expect(broken.mock.calls.length).toBeGreaterThan(3));
    expect(await find("plank")).toEqual([2]);
    expect(onError).toHaveBeenCalledTimes(1);
    store.version = version;
    await editor.add("zyx => sofa");
    await eventually(async () => expect(await find("zyx")).toEqual([1]));
  });

  test("applies changes that another thread of the node has found, and reads again if it failed", async () => {
    const { publish, subscribe } = createTopic();
    const store = createMemoryStore();
    await editorOf(store).add("plank => shelf");
    const version = vi.fn(store.version);
    const read = vi.fn(store.read);
    const { find } = await open({ ...store, version, read }, { reads: false, publish, subscribe });
    expect(await find("plank")).toEqual([2]);
    const first = await open(store, { reads: true, publish, subscribe });
    await eventually(() => expect(version).toHaveBeenCalled());
    await setTimeout(20);
    const before = version.mock.calls.length;
    read.mockRejectedValueOnce(new Error("disk I/O error"));
    await first.editor.add("zyx => sofa");
    await eventually(async () => expect(await find("zyx")).toEqual([1]));
    await setTimeout(20);
    expect(version.mock.calls.length).toBe(before);
    // At its start, the failed one, and again.
    expect(read).toHaveBeenCalledTimes(3);
  });
});

function document(id: number, name: string) {
  return {
    id,
    tie: id,
    fields: { name, brand: "", store: "", description: "", category: "" },
    source: 0,
    priceMinor: 100,
    rating: 0,
    discount: 0,
    quality: 0,
    availability: 0,
  };
}
