import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import pg from "pg";
import { expect, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run } from "../../testing/running-service.ts";
import { startTestCluster } from "../../testing/servers/cluster.ts";

const rows = 20_000;

describeOnPostgres("an import that loses PostgreSQL while it writes products", () => {
  test("says that it will be finished, and it is", async () => {
    const cluster = await startTestCluster();
    const dataDir = makeDataDir();
    const client = new pg.Client({ connectionString: cluster.databaseUrl });
    const count = async () => Number((await client.query("select count(*) from products")).rows[0].count);
    try {
      await cluster.command("doctor");
      await client.connect();
      const feed = join(dataDir, "feed.jsonl");
      writeFileSync(feed, Array.from({ length: rows }, (_, at) => nativeLine(`k${at}`)).join(""));
      const args = ["import", feed, "--source", "catalog"];
      const lost = run(args, { ...cluster.environment, DATA_DIR: dataDir });
      while ((await count()) === 0) await setTimeout(2);
      cluster.proxy.cut();
      expect(await lost.exit).toBe(1);
      expect(lost.output()).toMatch(/was read whole: the running service, or the next import, finishes it/);
      expect(lost.output()).not.toContain("Send the request again");
      expect(await count()).toBeLessThan(rows);

      cluster.proxy.restore();
      const other = join(dataDir, "other.jsonl");
      writeFileSync(other, nativeLine("other"));
      await cluster.command("import", other, "--source", "catalog");
      expect(await count()).toBe(rows + 1);
    } finally {
      await client.end();
      await cluster.close();
      removeDataDir(dataDir);
    }
  });
});
