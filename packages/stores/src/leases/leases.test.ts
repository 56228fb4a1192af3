import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Lease, LeaseLostError } from "@product-search/core/ports/leases.ts";
import { describeLeases } from "@product-search/testing/contracts/leases.ts";
import { type Kysely, sql } from "kysely";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { scaledTimes } from "../../testing/lease-times.ts";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import type { Database } from "../database/schema.ts";
import { createFencedDatabase } from "./fenced-database.ts";
import { acquireLease, createPostgresLeases, defaultLeaseTimes, indexLeaseTimes } from "./postgres.ts";
import { createSingleNodeLeases } from "./single-node.ts";

describe("leases", () => {
  const holderFile = fileURLToPath(new URL("../../testing/lease-holder.ts", import.meta.url));

  /** For a busy machine. */
  const patient = { timeout: 60_000, interval: 20 };

  async function opened() {
    const store = await openTestPostgres();
    onTestFinished(() => store.close());
    await sql`create table written (row_id bigint generated always as identity, number bigint not null)`.execute(
      store.db,
    );
    return store;
  }

  interface Holder {
    child: ChildProcess;
    lines(): string[];
    untilLine(start: string): Promise<string>;
  }

  function startHolder(url: string, name: string): Holder {
    const child = spawn(process.execPath, [holderFile, url, name], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const lines = () => output.split("\n").filter((line) => line !== "");
    return {
      child,
      lines,
      untilLine: (start) =>
        vi.waitFor(
          () => {
            const found = lines().find((line) => line.startsWith(start));
            if (found === undefined) throw new Error(`"${start}" was not said: ${output}`);
            return found;
          },
          { timeout: 30_000, interval: 20 },
        ),
    };
  }

  const numbersWritten = async (db: Kysely<Database>) =>
    (await sql<{ number: number }>`select number from written order by row_id`.execute(db)).rows.map(
      ({ number }) => number,
    );

  const currentLease = async (db: Kysely<Database>) =>
    (await sql<{ number: number }>`select number from leases`.execute(db).catch(() => undefined))?.rows[0];

  describeOnPostgres("leases on PostgreSQL", () => {
    describeLeases(async () => {
      const { db, close } = await openTestPostgres();
      return {
        leases: createPostgresLeases({ db, holder: "a", onError: () => {}, times: scaledTimes }),
        close,
      };
    });

    test("replace a killed leader", async () => {
      const { url, db } = await opened();
      const first = startHolder(url, "first");
      await first.untilLine("leads 1");
      const second = startHolder(url, "second");
      await second.untilLine("started");
      await expect.poll(async () => (await numbersWritten(db)).length, patient).toBeGreaterThan(4);
      first.child.kill("SIGKILL");
      const killedAtMs = performance.now();
      await second.untilLine("leads ");
      const { leaseMs, pollMs } = scaledTimes;
      // The rest is for a busy machine.
      expect(performance.now() - killedAtMs).toBeLessThan(leaseMs + pollMs + 5000);
    });

    test("refuse later writes of a paused leader, at any point of its work", async () => {
      const { url, db } = await opened();
      const holders = [startHolder(url, "first"), startHolder(url, "second")];
      const newest = async () => (await numbersWritten(db)).at(-1) ?? 0;
      const wasRefused = ({ lines }: Holder, number: number) =>
        lines().lastIndexOf("refused LeaseLostError") > lines().indexOf(`leads ${number}`);
      const leaderOf = (number: number) => holders.find(({ lines }) => lines().includes(`leads ${number}`));
      for (const holder of holders) await holder.untilLine("started");
      await expect.poll(newest, patient).toBeGreaterThan(0);
      for (let round = 0; round < 3; round++) {
        const number = await newest();
        const paused = leaderOf(number);
        if (paused === undefined) throw new Error(`Nobody said that it leads with ${number}.`);
        paused.child.kill("SIGSTOP");
        await expect.poll(newest, patient).toBeGreaterThan(number);
        paused.child.kill("SIGCONT");
        // On a busy machine it may have been refused before it was paused.
        await expect.poll(() => wasRefused(paused, number), patient).toBe(true);
      }
      const written = await numbersWritten(db);
      // In the order of writing: no older number follows a newer one, and no transaction is half done.
      expect(written).toEqual(written.toSorted((left, right) => left - right));
      for (const [, rows] of Map.groupBy(written, (number) => number)) expect(rows.length % 2).toBe(0);
      expect(new Set(written).size).toBeGreaterThan(3);
    });

    test("of an index last a shorter time than those of other jobs", async () => {
      const { db } = await opened();
      const leases = createPostgresLeases({ db, holder: "a", onError: () => {} });
      const begun: string[] = [];
      const work = async ({ job, signal }: Lease) => {
        begun.push(job);
        await once(signal, "abort");
      };
      const leading = [leases.lead("text-index", work), leases.lead("cleanup", work)];
      await expect.poll(() => begun.length, patient).toBe(2);
      const { rows } = await sql<{ job: string }>`
      select job from leases where until < clock_timestamp() + interval '3 seconds'`.execute(db);
      for (const one of leading) await one.stop();
      expect(rows).toEqual([{ job: "text-index" }]);
    });

    test("are released at once by a node that stops", async () => {
      const { db } = await opened();
      const times = { ...defaultLeaseTimes, leaseMs: 600_000 };
      const leases = createPostgresLeases({ db, holder: "a", onError: () => {}, times });
      const begun: number[] = [];
      const lead = () =>
        leases.lead("cleanup", async ({ number, signal }) => {
          begun.push(number);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        });
      const first = lead();
      await expect.poll(() => begun, patient).toEqual([1]);
      const second = lead();
      await first.stop();
      await expect.poll(() => begun, patient).toEqual([1, 2]);
      await second.stop();
    });

    test("end for a holder that cannot renew them, before another one gets them", async () => {
      const { db } = await opened();
      const errors: unknown[] = [];
      const onError = (error: unknown) => errors.push(error);
      const times = { leaseMs: 5000, renewMs: 100, pollMs: 100, marginMs: 4500 };
      const hasEnded: boolean[] = [];
      const leading = createPostgresLeases({ db, holder: "a", onError, times }).lead(
        "cleanup",
        async ({ number, signal }) => {
          if (number > 1) return;
          // As if only this node could not reach the database.
          await sql`alter table leases rename to leases_elsewhere`.execute(db);
          if (!signal.aborted) await once(signal, "abort");
          const { rows } = await sql<{ hasEnded: boolean }>`
          select until < clock_timestamp() as "hasEnded" from leases_elsewhere`.execute(db);
          hasEnded.push(rows[0]?.hasEnded ?? true);
          await sql`alter table leases_elsewhere rename to leases`.execute(db);
          throw new Error("The work ends with the lease, whatever it throws then.");
        },
      );
      await expect.poll(async () => (await currentLease(db))?.number ?? 0, patient).toBeGreaterThan(1);
      await leading.stop();
      expect(hasEnded).toEqual([false]);
      expect(errors.length).toBeGreaterThan(0);
    });

    test("can be given up, so that another node has the job first", async () => {
      const { db } = await opened();
      const begun: string[] = [];
      const lead = (holder: string, work: (lease: Lease) => Promise<void>) =>
        createPostgresLeases({ db, holder, onError: () => {}, times: scaledTimes }).lead(
          "text-index",
          (lease) => {
            begun.push(holder);
            return work(lease);
          },
        );
      const first = lead("first", async () => {});
      await expect.poll(() => begun, patient).toEqual(["first"]);
      const second = lead("second", ({ signal }) => once(signal, "abort").then(() => {}));
      await expect.poll(() => begun, patient).toContain("second");
      await second.stop();
      // It has not left for good.
      await expect.poll(() => begun.at(-1), patient).toBe("first");
      await first.stop();
    });

    test("know whether they are the newest of their job", async () => {
      const { db } = await opened();
      const held: boolean[] = [];
      const leading = createPostgresLeases({
        db,
        holder: "a",
        onError: () => {},
        times: defaultLeaseTimes,
      }).lead("text-index", async ({ signal, isHeld }) => {
        held.push(await isHeld());
        await sql`update leases set number = number + 1`.execute(db);
        held.push(await isHeld());
        if (!signal.aborted) await once(signal, "abort");
      });
      await expect.poll(() => held, patient).toEqual([true, false]);
      await leading.stop();
    });

    test("are free after a failure of the work", async () => {
      const { db } = await opened();
      const leases = createPostgresLeases({ db, holder: "a", onError: () => {}, times: scaledTimes });
      const failing = leases.lead("cleanup", () => Promise.reject(new Error("no")));
      await expect(failing.ended).rejects.toThrow("no");
      expect(await acquireLease(db, { job: "cleanup", holder: "b", leaseMs: 1000 })).toBe(2);
    });

    test("replace a leader within ten seconds, and the writer of an index within three", () => {
      expect(defaultLeaseTimes.leaseMs + defaultLeaseTimes.pollMs).toBeLessThan(10_000);
      expect(indexLeaseTimes.leaseMs + indexLeaseTimes.pollMs).toBeLessThan(3_000);
    });
  });

  describeOnPostgres("a fenced database", () => {
    const lease = (number: number): Pick<Lease, "job" | "number"> => ({ job: "cleanup", number });

    test("writes under the newest lease, and refuses an older one in every way of writing", async () => {
      const { db, pool } = await opened();
      await acquireLease(db, { job: "cleanup", holder: "a", leaseMs: 0 });
      const old = createFencedDatabase(pool, lease(1));
      const row = (id: string) => ({ id, name: id, created_at: 1 });
      await old.insertInto("accounts").values(row("a")).execute();
      await acquireLease(db, { job: "cleanup", holder: "b", leaseMs: 0 });
      for (const write of [
        () => old.insertInto("accounts").values(row("b")).execute(),
        () => old.updateTable("accounts").set({ name: "changed" }).execute(),
        () => old.deleteFrom("accounts").execute(),
        () => sql`with b as (select 1) update accounts set name = 'changed'`.execute(old),
        () => old.transaction().execute((transaction) => transaction.deleteFrom("accounts").execute()),
      ]) {
        await expect(write()).rejects.toThrow(LeaseLostError);
      }
      expect(await old.selectFrom("accounts").selectAll().execute()).toEqual([row("a")]);
      await createFencedDatabase(pool, lease(2)).insertInto("accounts").values(row("b")).execute();
      expect(await db.selectFrom("accounts").selectAll().execute()).toHaveLength(2);
    });

    test("undoes a failed write and a failed transaction, and goes on", async () => {
      const { db, pool } = await opened();
      await acquireLease(db, { job: "cleanup", holder: "a", leaseMs: 0 });
      const fenced = createFencedDatabase(pool, lease(1));
      const row = { id: "a", name: "a", created_at: 1 };
      await fenced.insertInto("accounts").values(row).execute();
      for (let attempt = 0; attempt < 6; attempt++) {
        await expect(fenced.insertInto("accounts").values(row).execute()).rejects.toThrow("duplicate");
        await expect(
          fenced
            .transaction()
            .execute((transaction) => transaction.insertInto("accounts").values(row).execute()),
        ).rejects.toThrow("duplicate");
      }
      expect(await db.selectFrom("accounts").selectAll().execute()).toEqual([row]);
    });

    test("blocks a new holder until the current transaction has ended", async () => {
      const { db, pool } = await opened();
      await acquireLease(db, { job: "cleanup", holder: "a", leaseMs: 0 });
      const order: string[] = [];
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const writing = createFencedDatabase(pool, lease(1))
        .transaction()
        .execute(async (transaction) => {
          await sql`insert into written (number) values (1)`.execute(transaction);
          begun.resolve();
          await goOn.promise;
          order.push("written");
        });
      await begun.promise;
      const acquiring = acquireLease(db, { job: "cleanup", holder: "b", leaseMs: 0 }).then((number) => {
        order.push(`acquired ${number}`);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      goOn.resolve();
      await Promise.all([writing, acquiring]);
      expect(order).toEqual(["written", "acquired 2"]);
    });
  });

  describe("the leases of a single node", () => {
    describeLeases(async () => ({ leases: createSingleNodeLeases(), close: async () => {} }));
  });
});

describe("lease rows", () => {
  async function opened(): Promise<Kysely<Database>> {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    return db;
  }

  const acquire = (db: Kysely<Database>, holder: string) =>
    acquireLease(db, { job: "cleanup", holder, leaseMs: 60_000 });

  async function waitingForLocks(db: Kysely<Database>): Promise<number | undefined> {
    const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows[0]?.count;
  }

  describeOnPostgres("acquiring a lease", () => {
    test("only reads while another node has it, and does not wait for its row", async () => {
      const db = await opened();
      expect(await acquire(db, "a")).toBe(1);
      await db.transaction().execute(async (renewing) => {
        await sql`select 1 from leases for update`.execute(renewing);
        await db.transaction().execute(async (looking) => {
          await sql`set local lock_timeout = 100`.execute(looking);
          expect(await acquire(looking, "b")).toBeUndefined();
          const written = await sql`select pg_current_xact_id_if_assigned() as id`.execute(looking);
          expect(written.rows).toEqual([{ id: null }]);
        });
      });
    });

    test.each([
      { state: "that nobody has had", number: 1 },
      { state: "that has expired", number: 2 },
    ])("gives one $state to one of two nodes that find it free", async ({ number }) => {
      const db = await opened();
      if (number > 1) await acquireLease(db, { job: "cleanup", holder: "dead", leaseMs: 0 });
      const second = Promise.withResolvers<number | undefined>();
      await db.transaction().execute(async (transaction) => {
        expect(await acquire(transaction, "a")).toBe(number);
        acquire(db, "b").then(second.resolve, second.reject);
        await expect.poll(() => waitingForLocks(db), { timeout: 60_000, interval: 20 }).toBe(1);
      });
      expect(await second.promise).toBeUndefined();
    });
  });
});
