import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeDayQuota } from "@product-search/testing/contracts/day-quota.ts";
import { describe } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { openPostgres } from "../database/postgres/open.ts";
import { createSqlDayQuota } from "./day-quota.ts";
import { createPostgresDayQuota } from "./postgres.ts";

async function closeAll(databases: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const database of databases) await database.close();
}

describe("the day quota on SQLite", () => {
  describeDayQuota(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "day-quota-"));
    const databases: { close(): Promise<void> }[] = [];
    return {
      async create(clock, marketplace) {
        const database = await openDatabase(dataDir);
        databases.push(database);
        return createSqlDayQuota({ db: database.db, clock, marketplace });
      },
      async close() {
        await closeAll(databases);
        await rm(dataDir, { recursive: true });
      },
    };
  });
});

describeOnPostgres("the day quota on PostgreSQL", () => {
  describeDayQuota(async () => {
    const database = await openTestPostgres();
    const nodes: { close(): Promise<void> }[] = [];
    return {
      async create(clock, marketplace) {
        const node = await openPostgres({ url: database.url });
        nodes.push(node);
        return createPostgresDayQuota({ db: node.db, clock, marketplace });
      },
      close: () => closeAll([...nodes, database]),
    };
  });
});
