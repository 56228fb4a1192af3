import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { openDatabase } from "../database/open.ts";
import { describeUploadedImageStore } from "./contract.ts";
import { createSqliteUploadedImageStore } from "./sqlite.ts";

describe("the SQLite image store", () => {
  describeUploadedImageStore(async (settings) => {
    const dataDir = await mkdtemp(join(tmpdir(), "image-store-"));
    const { db, close } = await openDatabase(dataDir);
    return {
      store: createSqliteUploadedImageStore({ db, ...settings }),
      async close() {
        await close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});
