import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFeedSchedule } from "@product-search/testing/contracts/feed-schedule.ts";
import { describe } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { createSqlFeedSchedule } from "./feed-schedule.ts";

describe("the feed schedule in SQLite", () => {
  describeFeedSchedule(async (clock) => {
    const dataDir = await mkdtemp(join(tmpdir(), "feed-schedule-"));
    const [first, second] = [await openDatabase(dataDir), await openDatabase(dataDir)];
    return {
      one: createSqlFeedSchedule({ db: first.db, clock }),
      other: createSqlFeedSchedule({ db: second.db, clock }),
      async close() {
        await first.close();
        await second.close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});

describeOnPostgres("the feed schedule on PostgreSQL", () => {
  describeFeedSchedule(async (clock) => {
    const { db, close } = await openTestPostgres();
    return { one: createSqlFeedSchedule({ db, clock }), other: createSqlFeedSchedule({ db, clock }), close };
  });
});
