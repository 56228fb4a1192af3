import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { openDatabase } from "../database/open.ts";
import { describeImageStore } from "./contract.ts";
import { createSqliteImageStore } from "./sqlite.ts";

describe("the SQLite image store", () => {
  describeImageStore(async (settings) => {
    const dataDir = await mkdtemp(join(tmpdir(), "image-store-"));
    const { db, close } = await openDatabase(dataDir);
    return {
      store: createSqliteImageStore({ db, ...settings }),
      async close() {
        await close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});
