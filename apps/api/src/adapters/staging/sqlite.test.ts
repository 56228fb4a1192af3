import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeStagingArea } from "./contract.ts";
import { createSqliteStagingArea } from "./sqlite.ts";

describe("the SQLite staging area", () => {
  describeStagingArea(async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    return {
      area: createSqliteStagingArea(join(folder, "imports")),
      remove: () => rm(folder, { recursive: true }),
    };
  });

  test("treats files of former releases as missing, and removes them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    const area = createSqliteStagingArea(folder);
    for (const name of ["old.staging", "old.staged"]) {
      await writeFile(join(folder, name), "");
      expect(await area.open(name)).toBeUndefined();
    }
    await area.clear();
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test("removes only its own files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "staging-"));
    await writeFile(join(folder, "rejects.jsonl"), "kept");
    await createSqliteStagingArea(folder).clear();
    expect(readFileSync(join(folder, "rejects.jsonl"), "utf8")).toBe("kept");
    await rm(folder, { recursive: true });
  });
});
