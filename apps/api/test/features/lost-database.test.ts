import { ApiError } from "@product-search/core/errors.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import { resumeImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

/** What a connection to PostgreSQL that broke looks like. */
const lost = () =>
  new ApiError("unavailable", "The database cannot be reached at the moment. Send the request again.");

let fixture: ImportFixture;
let isLost: boolean;
beforeEach(async () => {
  fixture = await createImportFixture();
  isLost = false;
});
afterEach(() => fixture.close());

const feed = () => fixture.file(["a", "b", "c"].map((key) => nativeLine(key)).join(""));
const never = () => new AbortController().signal;
/** Fails from then on, before or after the work is done. */
const losing =
  <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>, when: "before" | "after") =>
  async (...given: Given): Promise<Result> => {
    isLost = true;
    if (when === "after") await work(...given);
    throw lost();
  };
const run = async (path: string) => {
  const error = await fixture.run(path).catch((thrown: unknown) => thrown);
  return error instanceof Error ? error.message : "done";
};
const finishLater = () => resumeImport(fixture.deps, never());

describe("an import that loses the database says whether it must be run again", () => {
  test("before it has the lease", async () => {
    const { importJournal } = fixture.deps;
    fixture.deps.importJournal = { ...importJournal, acquire: losing(importJournal.acquire, "before") };
    expect(await run(feed())).toMatch(/Nothing of this feed was imported.*Import it again/);
  });

  test("while the feed is read", async () => {
    const { stagingArea } = fixture.deps;
    fixture.deps.stagingArea = {
      ...stagingArea,
      create: losing(stagingArea.create, "before"),
      // The database is still away.
      clear: (...given) => (isLost ? Promise.reject(lost()) : stagingArea.clear(...given)),
      remove: (...given) => (isLost ? Promise.reject(lost()) : stagingArea.remove(...given)),
    };
    expect(await run(feed())).toMatch(/Nothing of this feed was imported.*Import it again/);
    fixture.deps.stagingArea = stagingArea;
    expect(await finishLater()).toBeUndefined();
  });

  test.each(["before", "after"] as const)("%s the feed is recorded as read", async (when) => {
    const { importJournal, stagingArea } = fixture.deps;
    fixture.deps.importJournal = { ...importJournal, seal: losing(importJournal.seal, when) };
    expect(await run(feed())).toMatch(/not known.*importing it again is safe/i);
    fixture.deps.importJournal = importJournal;
    fixture.deps.stagingArea = stagingArea;
    const applied = await finishLater();
    expect(applied?.created).toBe(when === "after" ? 3 : undefined);
  });

  test.each(["before", "after"] as const)("%s its last step", async (when) => {
    const { importJournal } = fixture.deps;
    fixture.deps.importJournal = { ...importJournal, finish: losing(importJournal.finish, when) };
    const message = await run(feed());
    expect(message).toMatch(/was read whole.*finishes it.*not.*import it again/i);
    expect(message).not.toContain("Send the request again");
    fixture.deps.importJournal = importJournal;
    await finishLater();
    expect(await fixture.products()).toHaveLength(3);
  });

  test("while products are written", async () => {
    const { catalogStore } = fixture.deps;
    fixture.deps.catalogStore = {
      ...catalogStore,
      applyEach: losing(catalogStore.applyEach, "before"),
      apply: losing(catalogStore.apply, "before"),
    };
    expect(await run(feed())).toMatch(/was read whole.*finishes it.*not.*import it again/i);
    fixture.deps.catalogStore = catalogStore;
    expect(await finishLater()).toMatchObject({ created: 3 });
  });

  test("while it finishes an earlier import", async () => {
    const { catalogStore, importJournal } = fixture.deps;
    fixture.deps.importJournal = { ...importJournal, finish: losing(importJournal.finish, "before") };
    await run(feed());
    expect(await run(feed())).toMatch(/earlier import.*This feed was not imported.*Import it again/);
    fixture.deps = { ...fixture.deps, catalogStore, importJournal };
    await finishLater();
    expect(await fixture.products()).toHaveLength(3);
  });

  test("after everything was applied, it has succeeded", async () => {
    const { importJournal } = fixture.deps;
    fixture.deps.importJournal = { ...importJournal, release: losing(importJournal.release, "before") };
    const observer = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
    const options = { feed: feed(), source: "catalog", absent: "keep" } as const;
    const summary = await importFeed(fixture.deps, options, observer, never());
    expect(summary).toMatchObject({ created: 3 });
  });
});
