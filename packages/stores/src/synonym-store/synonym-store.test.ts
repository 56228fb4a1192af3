import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSynonymStore } from "@product-search/testing/contracts/synonym-store/contract.ts";
import { describe } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { createSqlSynonymStore } from "./sql.ts";

describe("the synonym store in SQLite", () => {
  describeSynonymStore(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "synonym-store-"));
    const [first, second] = [await openDatabase(dataDir), await openDatabase(dataDir)];
    return {
      one: createSqlSynonymStore(first),
      other: createSqlSynonymStore(second),
      async close() {
        await first.close();
        await second.close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});

describeOnPostgres("the synonym store on PostgreSQL", () => {
  describeSynonymStore(async () => {
    const { db, close } = await openTestPostgres();
    return { one: createSqlSynonymStore({ db }), other: createSqlSynonymStore({ db }), close };
  });
});
