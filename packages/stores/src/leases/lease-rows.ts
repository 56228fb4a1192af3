import type { Job, Lease } from "@product-search/core/ports/leases.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

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
export async function renewLease(
  db: Kysely<Database>,
  { job, number }: Held,
  leaseMs: number,
): Promise<boolean> {
  const renewed = await sql`
    update leases set until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where job = ${job} and number = ${number}`.execute(db);
  return (renewed.numAffectedRows ?? 0n) > 0n;
}

export async function isNewestLease(db: Kysely<Database>, { job, number }: Held): Promise<boolean> {
  const { rows } = await sql`select 1 from leases where job = ${job} and number = ${number}`.execute(db);
  return rows.length > 0;
}

export async function releaseLease(db: Kysely<Database>, { job, number }: Held): Promise<void> {
  await sql`update leases set until = clock_timestamp() where job = ${job} and number = ${number}`.execute(
    db,
  );
}
