import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { openMigratedPostgres } from "../src/database/postgres/open.ts";
import { createFencedDatabase } from "../src/leases/fenced-database.ts";
import { createPostgresLeases } from "../src/leases/postgres.ts";
import { scaledTimes } from "./lease-times.ts";

/**
 * A node in a separate process that has the job "cleanup" and writes its lease's number again and again, in
 * transactions that take a moment. It ignores the signal of its lease: like a paused process, it continues until a
 * write is refused.
 */
const [url = "", name = ""] = process.argv.slice(2);
const { db, pool } = await openMigratedPostgres({ url });
const say = (what: string) => process.stdout.write(`${what}\n`);

say("started");
createPostgresLeases({ db, holder: name, onError: () => {}, times: scaledTimes }).lead(
  "cleanup",
  async (lease) => {
    const fenced = createFencedDatabase(pool, lease);
    say(`leads ${lease.number}`);
    for (;;) {
      try {
        await fenced.transaction().execute(async (transaction) => {
          await sql`insert into written (number) values (${lease.number})`.execute(transaction);
          await setTimeout(5);
          await sql`insert into written (number) values (${lease.number})`.execute(transaction);
        });
      } catch (error) {
        say(`refused ${error instanceof Error ? error.name : ""}`);
        // If the server ended the transaction, its connection is gone; only the lease matters.
        if (error instanceof Error && error.name === "LeaseLostError") return;
      }
    }
  },
);
