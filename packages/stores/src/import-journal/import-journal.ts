import { randomUUID } from "node:crypto";
import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { ImportLeaseLostError } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  absentRules,
  type FeedVersion,
  type ImportJournal,
  type Lease,
  type SealedImport,
} from "@product-search/core/ports/imports.ts";
import type { Kysely, Selectable } from "kysely";
import { isProcessGone, machine } from "../database/machine-processes.ts";
import type { Database, ImportsTable } from "../database/schema.ts";

export interface SqlImportJournalSettings {
  db: Kysely<Database>;
  clock: Clock;
  leaseMs?: number;
}

/** Dead importers on the same machine are detected without it. */
const defaultLeaseMs = 120_000;

const slots = recordOf(productSources, (_, place) => place + 1);

const nothingSealed = {
  source: null,
  staging_file: null,
  is_full: null,
  position: null,
  url: null,
  etag: null,
  last_modified: null,
};

export function createSqlImportJournal({
  db,
  clock,
  leaseMs = defaultLeaseMs,
}: SqlImportJournalSettings): ImportJournal {
  const owner = newLeaseOwner();

  async function change(values: Partial<ImportsTable>): Promise<boolean> {
    const query = db.updateTable("imports").set(values).where("owner", "=", owner);
    return (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
  }
  async function changeOrFail(values: Partial<ImportsTable>): Promise<void> {
    if (!(await change(values))) throw new ImportLeaseLostError();
  }

  async function tryLease(slot: number, label: string, leaseMs: number): Promise<Lease> {
    const now = clock.now();
    const lease = { owner, label, lease_until: now + leaseMs };
    // One statement, so that of two concurrent processes only one changes the row.
    const row = await db
      .insertInto("imports")
      .values({ slot, started_at: now, ...lease })
      .onConflict((conflict) =>
        conflict
          .column("slot")
          .doUpdateSet((row) => ({
            ...lease,
            // A sealed import keeps its place in the order.
            started_at: row
              .case()
              .when("imports.staging_file", "is", null)
              .then(now)
              .else(row.ref("imports.started_at"))
              .end(),
          }))
          .where((row) =>
            row.or([
              row("imports.owner", "is", null),
              row("imports.lease_until", "<=", now),
              // It could not release the lease, because the disk was full.
              row("imports.owner", "=", owner),
            ]),
          ),
      )
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) {
      const unfinished = toSealed(row);
      return { acquired: true, ...(unfinished !== undefined && { unfinished }) };
    }
    const holder = await db
      .selectFrom("imports")
      .select(["label", "started_at"])
      .where("slot", "=", slot)
      .executeTakeFirst();
    const { label: heldBy = "one that just ended", started_at = now } = holder ?? {};
    return { acquired: false, holder: { label: heldBy, startedAtMs: started_at } };
  }

  async function releaseOfDeadOwner(slot: number): Promise<void> {
    const holder = await db.selectFrom("imports").select("owner").where("slot", "=", slot).executeTakeFirst();
    if (!holder?.owner || !isOwnerDead(holder.owner)) return;
    await db.updateTable("imports").set({ owner: null }).where("owner", "=", holder.owner).execute();
  }

  return {
    owner,
    leaseMs,
    async acquire(source, label, leaseMs) {
      await releaseOfDeadOwner(slots[source]);
      return tryLease(slots[source], label, leaseMs);
    },
    renew: (leaseMs) => change({ lease_until: clock.now() + leaseMs }),
    seal: ({ source, stagingFile, startedAtMs, absent, position, version }) =>
      changeOrFail({
        started_at: startedAtMs,
        source,
        staging_file: stagingFile,
        is_full: absentRules.indexOf(absent),
        position,
        url: version?.url ?? null,
        etag: version?.etag ?? null,
        last_modified: version?.lastModified ?? null,
      }),
    finish: (isWhole) => finish(db, clock, owner, isWhole),
    discard: () => changeOrFail(nothingSealed),
    async release() {
      await db.deleteFrom("imports").where("owner", "=", owner).where("staging_file", "is", null).execute();
      await change({ owner: null });
    },
    async findUnfinished() {
      const rows = await db
        .selectFrom("imports")
        .select(["slot", "owner", "lease_until"])
        .where("staging_file", "is not", null)
        .execute();
      const left = rows.find(
        ({ owner: held, lease_until }) =>
          held === null || held === owner || lease_until <= clock.now() || isOwnerDead(held),
      );
      return productSources.find((source) => slots[source] === left?.slot);
    },
    async sealedFiles() {
      const rows = await db.selectFrom("imports").select("staging_file").execute();
      return rows.flatMap(({ staging_file }) => staging_file ?? []);
    },
    async newestStart(source) {
      const row = await newestOf(db, source).executeTakeFirst();
      return row?.imported_at;
    },
    async lastVersion(source, url, absent) {
      const row = await db
        .selectFrom("feeds")
        .select(["url", "etag", "last_modified"])
        .where("source", "=", source)
        .where("url", "=", url)
        .where("is_full", ">=", absentRules.indexOf(absent))
        .executeTakeFirst();
      return row && toVersion(row.url, row);
    },
  };
}

/** See `FeedsTable.url`. */
function newestOf(db: Kysely<Database>, source: string) {
  return db.selectFrom("feeds").select("imported_at").where("source", "=", source).where("url", "=", "");
}

function finish(db: Kysely<Database>, clock: Clock, owner: string, isWhole: boolean): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    // A transaction that reads before it writes fails if another writer was faster, so this one writes first.
    const done = await transaction
      .updateTable("imports")
      .set((row) => ({ lease_until: row.ref("lease_until") }))
      .where("owner", "=", owner)
      .returningAll()
      .executeTakeFirst();
    if (done === undefined) throw new ImportLeaseLostError();
    await transaction.updateTable("imports").set(nothingSealed).where("owner", "=", owner).execute();
    const { source, url, etag, last_modified, is_full } = done;
    if (source === null) return;
    // This feed has overwritten products of the source's other feeds: they must be read again when they are imported
    // next.
    const newest = await newestOf(transaction, source).executeTakeFirst();
    await transaction.deleteFrom("feeds").where("source", "=", source).execute();
    const startedAt = Math.max(newest?.imported_at ?? 0, done.started_at);
    const noVersion = { etag: null, last_modified: null, is_full: 0 };
    await transaction
      .insertInto("feeds")
      .values({ source, url: "", ...noVersion, imported_at: startedAt })
      .execute();
    if (url === null || !isWhole) return;
    await transaction
      .insertInto("feeds")
      .values({ source, url, etag, last_modified, is_full: is_full ?? 0, imported_at: clock.now() })
      .execute();
  });
}

function toSealed(row: Selectable<ImportsTable>): SealedImport | undefined {
  const source = productSources.find((one): one is ProductSource => one === row.source);
  if (row.staging_file === null || source === undefined) return undefined;
  return {
    source,
    stagingFile: row.staging_file,
    startedAtMs: row.started_at,
    absent: absentRules[row.is_full ?? 0] ?? "keep",
    position: row.position ?? 0,
    ...(row.url !== null && { version: toVersion(row.url, row) }),
  };
}

function toVersion(url: string, row: { etag: string | null; last_modified: string | null }): FeedVersion {
  return {
    url,
    ...(row.etag !== null && { etag: row.etag }),
    ...(row.last_modified !== null && { lastModified: row.last_modified }),
  };
}

/** Machine, process, and a random part, because threads share a process. */
export function newLeaseOwner(): string {
  return `${machine} ${process.pid} ${randomUUID()}`;
}

/** Only dead processes of this machine can be detected. For others, the lease decides. */
export function isOwnerDead(owner: string): boolean {
  const [owningMachine, pid] = owner.split(" ");
  return owningMachine === machine && isProcessGone(Number(pid));
}
