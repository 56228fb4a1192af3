import { readdirSync } from "node:fs";
import { discardImport, resumeImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

const never = () => new AbortController().signal;
const mb = 1e6;
const rows = (count: number, given = {}) =>
  Array.from({ length: count }, (_, at) => nativeLine(`k${at}`, given)).join("");
/** 12 MB in products of 10 kB. */
const large = () => rows(1200, { description: "x y ".repeat(2500) });

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
});
afterEach(() => fixture.close());
const stagingFiles = () => readdirSync(fixture.deps.importsFolder).filter((name) => name.endsWith(".rows"));
/** A disk with so much free space, less what is staged. */
const limitDisk = (free: number, total: number) => {
  const { stagingArea } = fixture.deps;
  fixture.deps.readDiskSpace = async () => ({ free: free - (await stagingArea.usedBytes()), total });
};

describe("a feed that is too large to be staged", () => {
  test("is refused while it is read, by the limit that is set", async () => {
    fixture.deps.maxStagedBytes = 5 * mb;
    let read = 0;
    const feed = fixture.file(large());
    await expect(fixture.run(feed)).rejects.toThrow(
      /all staged feeds together take \d+ MB, and 5 MB are allowed/,
    );
    for (const { phase, done } of fixture.steps) if (phase === "reading") read = Math.max(read, done);
    expect(read).toBeLessThan(11 * mb);
    expect(await fixture.products()).toEqual([]);
    expect(stagingFiles()).toEqual([]);
    expect(await fixture.run(fixture.file(rows(3)))).toMatchObject({ created: 3 });
  });

  test("is refused by half of the free space", async () => {
    let looks = 0;
    fixture.deps.readDiskSpace = async () => ({ free: looks++ === 0 ? 16 * mb : 900 * mb, total: 1000 * mb });
    await expect(fixture.run(fixture.file(large()))).rejects.toThrow("8 MB are allowed");
  });

  test("counts with the feeds of others", async () => {
    fixture.deps.maxStagedBytes = 20 * mb;
    const other = await fixture.deps.stagingArea.create("marketplace-a");
    for (let index = 0; index < 1000; index += 1) other.addSeen("marketplace-a", "k".repeat(10_000) + index);
    const input = { source: "catalog", key: "a", removed: true } as const;
    for (let index = 0; index < 100_000; index += 1)
      other.add({ ...input, key: `k${index}`.padEnd(200, "x") });
    await expect(fixture.run(fixture.file(large()))).rejects.toThrow("20 MB are allowed");
    other.close();
  });
});

describe("a feed that would fill the disk when it is applied", () => {
  test("is not sealed, and says how much is missing", async () => {
    // 12 MB are staged, and the store would grow by twice as much; 100 MB stay free.
    limitDisk(130 * mb, 1000 * mb);
    await expect(fixture.run(fixture.file(large()))).rejects.toThrow(
      /11\d MB are free, and about 2\d MB are needed to apply this feed, besides 100 MB that stay free. Nothing was changed/,
    );
    expect(await fixture.products()).toEqual([]);
    expect(stagingFiles()).toEqual([]);
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    limitDisk(145 * mb, 1000 * mb);
    expect(await fixture.run(fixture.file(large()))).toMatchObject({ created: 1200 });
  });

  test("needs less if its products are there already", async () => {
    expect(await fixture.run(fixture.file(large()))).toMatchObject({ created: 1200 });
    limitDisk(130 * mb, 1000 * mb);
    expect(await fixture.run(fixture.file(large()))).toMatchObject({ unchanged: 1200 });
  });

  test.each([
    [1000, 100],
    [10_000, 500],
    [100_000, 2000],
  ])("leaves a reserve on a disk of %i MB: %i MB", async (total, reserve) => {
    fixture.deps.readDiskSpace = async () => ({ free: (reserve - 1) * mb, total: total * mb });
    await expect(fixture.run(fixture.file(rows(3)))).rejects.toThrow(`besides ${reserve} MB`);
    fixture.deps.readDiskSpace = async () => ({ free: (reserve + 1) * mb, total: total * mb });
    expect(await fixture.run(fixture.file(rows(3)))).toMatchObject({ rows: 3 });
  });
});

describe("an import that waits for space on a full disk", () => {
  const fill = async () => {
    const { connection } = fixture.stores.database;
    connection.pragma(`max_page_count = ${Number(connection.pragma("page_count", { simple: true })) + 5}`);
    await expect(fixture.run(fixture.file(rows(500, { description: "x".repeat(500) })))).rejects.toThrow(
      "disk is full. The feed was read whole",
    );
    return () => connection.pragma("max_page_count = 1000000");
  };

  test("can be discarded, and keeps no other one waiting", async () => {
    const empty = await fill();
    expect(stagingFiles()).toHaveLength(1);
    expect(await discardImport(fixture.deps, "marketplace-a", () => {}, never())).toBeUndefined();
    expect(await discardImport(fixture.deps, "catalog", () => {}, never())).toMatchObject({
      source: "catalog",
    });
    expect(stagingFiles()).toEqual([]);
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    expect(await discardImport(fixture.deps, "catalog", () => {}, never())).toBeUndefined();
    empty();
    expect(await fixture.run(fixture.file(nativeLine("new")))).toMatchObject({ created: 1 });
  });

  test("is discarded even if the lease can be written only after its file was removed", async () => {
    await fill();
    const { importJournal } = fixture.deps;
    const acquire: typeof importJournal.acquire = (...lease) =>
      stagingFiles().length > 0
        ? Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }))
        : importJournal.acquire(...lease);
    const deps = { ...fixture.deps, importJournal: { ...importJournal, acquire } };
    expect(await discardImport(deps, "catalog", () => {}, never())).toMatchObject({ source: "catalog" });
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
  });

  test("is finished by the process whose release of the lease failed, as soon as there is space", async () => {
    const { importJournal } = fixture.deps;
    fixture.deps.importJournal = {
      ...importJournal,
      release: () => Promise.reject(new Error("disk is full")),
    };
    const empty = await fill();
    fixture.deps.importJournal = importJournal;
    empty();
    await resumeImport(fixture.deps, never());
    expect(await fixture.products()).toHaveLength(500);
  });
});
