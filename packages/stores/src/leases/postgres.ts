import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { Job, Lease, Leases } from "@product-search/core/ports/leases.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

export interface PostgresLeaseSettings {
  db: Kysely<Database>;
  /** The name of this node in the table, for people. */
  holder: string;
  /** Called with errors of the database; acquiring the lease is retried. */
  onError(error: unknown): void;
  /** Default: those of the job. */
  times?: LeaseTimes;
}

export interface LeaseTimes {
  /** The duration of a lease after it was acquired or renewed. */
  leaseMs: number;
  renewMs: number;
  /** How often other nodes check whether it is free. */
  pollMs: number;
  /** How long before its end the holder releases a lease that it could not renew. */
  marginMs: number;
}

/** A dead holder is replaced within `leaseMs` plus `pollMs`: 7 s. Two renewals may fail before the lease is lost. */
export const defaultLeaseTimes: LeaseTimes = { leaseMs: 6000, renewMs: 1500, pollMs: 1000, marginMs: 1000 };

/**
 * Changes cannot be found while nobody writes the index. A lease that is lost too early does no harm there, because
 * entries have versions.
 */
export const indexLeaseTimes: LeaseTimes = { leaseMs: 2000, renewMs: 400, pollMs: 250, marginMs: 400 };

/** A node that gave a lease up lets others look for it this many times first. */
const restPolls = 3;

function timesOf(job: Job): LeaseTimes {
  return job === "text-index" || job === "vector-index" ? indexLeaseTimes : defaultLeaseTimes;
}

/**
 * Leases as rows with an end and a number. The holder stops before its lease ends, by a monotonic clock. A holder
 * that cannot stop because it is paused writes with an old number, and `createFencedDatabase` refuses such writes.
 */
export function createPostgresLeases(settings: PostgresLeaseSettings): Leases {
  return {
    lead(job, work) {
      const stopping = new AbortController();
      const hold = (number: number, sentAtMs: number) =>
        holdLease(settings, { job, number }, sentAtMs, work, stopping.signal);
      const ended = takeTurns(settings, job, hold, stopping.signal);
      return {
        ended,
        async stop() {
          stopping.abort();
          await ended;
        },
      };
    },
  };
}

async function takeTurns(
  { db, holder, onError, times: given }: PostgresLeaseSettings,
  job: Job,
  hold: (number: number, sentAtMs: number) => Promise<{ gaveUp: boolean }>,
  signal: AbortSignal,
): Promise<void> {
  const times = given ?? timesOf(job);
  while (!signal.aborted) {
    const sentAtMs = performance.now();
    const number = await acquireLease(db, { job, holder, leaseMs: times.leaseMs }).catch(onError);
    const isFree = typeof number === "number";
    if (isFree && !(await hold(number, sentAtMs)).gaveUp) continue;
    const waitMs = isFree ? restPolls * times.pollMs : times.pollMs;
    await pause(waitMs, signal);
  }
}

/** Resolves when the work has ended: soon after the lease is lost or `stopping` aborts, or because it gave the lease up. */
async function holdLease(
  { db, onError, times }: PostgresLeaseSettings,
  held: Pick<Lease, "job" | "number">,
  sentAtMs: number,
  work: (lease: Lease) => Promise<void>,
  stopping: AbortSignal,
): Promise<{ gaveUp: boolean }> {
  const { leaseMs, renewMs, marginMs } = times ?? timesOf(held.job);
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const untilEnd = (sentMs: number) => Math.max(0, sentMs + leaseMs - marginMs - performance.now());
  let ending = setTimeout(() => lost.abort(), untilEnd(sentAtMs));
  let isRenewing = false;
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    const sentMs = performance.now();
    const isHeld = await renewLease(db, held, leaseMs).finally(() => {
      isRenewing = false;
    });
    if (!isHeld) return lost.abort();
    clearTimeout(ending);
    ending = setTimeout(() => lost.abort(), untilEnd(sentMs));
  };
  const renewing = setInterval(() => renew().catch(onError), renewMs);
  try {
    await work({ ...held, isHeld: () => isNewestLease(db, held), signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(renewing);
    clearTimeout(ending);
    if (!lost.signal.aborted) await releaseLease(db, held).catch(onError);
  }
  return { gaveUp: !signal.aborted };
}

type Held = Pick<Lease, "job" | "number">;

/**
 * The number of a free or expired lease, which this holder now has. Times are the database's. Every node looks all the time:
 * while another one has the lease, this only reads, so that nothing is flushed to disk and no renewal waits for a row lock. Of
 * two nodes that find it free, the second one waits for the first, and then the conflict decides.
 */
export async function acquireLease(
  db: Kysely<Database>,
  { job, holder, leaseMs }: { job: Job; holder: string; leaseMs: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    insert into leases (job, number, holder, until)
    select ${job}, 1, ${holder}, clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where not exists (select 1 from leases where job = ${job} and until > clock_timestamp())
    on conflict (job) do update set number = leases.number + 1, holder = excluded.holder, until = excluded.until
    where leases.until <= clock_timestamp()
    returning number`.execute(db);
  return rows[0]?.number;
}

/** False if another node holds it. */
async function renewLease(db: Kysely<Database>, { job, number }: Held, leaseMs: number): Promise<boolean> {
  const renewed = await sql`
    update leases set until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where job = ${job} and number = ${number}`.execute(db);
  return (renewed.numAffectedRows ?? 0n) > 0n;
}

async function isNewestLease(db: Kysely<Database>, { job, number }: Held): Promise<boolean> {
  const { rows } = await sql`select 1 from leases where job = ${job} and number = ${number}`.execute(db);
  return rows.length > 0;
}

async function releaseLease(db: Kysely<Database>, { job, number }: Held): Promise<void> {
  await sql`update leases set until = clock_timestamp() where job = ${job} and number = ${number}`.execute(
    db,
  );
}
