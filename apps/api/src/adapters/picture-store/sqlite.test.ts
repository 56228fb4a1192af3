import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { openDatabase } from "../database/open.ts";
import { describePictureStore } from "./contract.ts";
import { createSqlitePictureStore } from "./sqlite.ts";

describe("the SQLite picture store", () => {
  describePictureStore(async (clock) => {
    const dataDir = await mkdtemp(join(tmpdir(), "picture-store-"));
    const { connection, close } = await openDatabase(dataDir);
    // Only the products' row numbers matter here.
    connection.pragma("foreign_keys = OFF");
    return {
      store: createSqlitePictureStore({ connection, clock }),
      async close() {
        await close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});
