import { type Lease, LeaseLostError } from "@product-search/core/ports/leases.ts";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import { createUnstorableTextPlugin } from "../database/postgres/errors.ts";
import { limitIdleTime } from "../database/postgres/open.ts";
import type { Database } from "../database/schema.ts";

type Held = Pick<Lease, "job" | "number">;
type Client = Awaited<ReturnType<PostgresPool["connect"]>>;

/**
 * The same database for the holder of a lease. Writes are committed only while the lease is the newest of its job;
 * after that they fail with `LeaseLostError`. Every transaction first locks the row of the lease against a new
 * holder; a write outside a transaction gets one. Stores need not know about it.
 */
export function createFencedDatabase(pool: PostgresPool, lease: Held): Kysely<Database> {
  const fenced: PostgresPool = {
    connect: async () => fenceClient(await pool.connect(), lease),
    // The pool belongs to the node.
    end: async () => {},
    options: pool.options,
  };
  const plugins = [createUnstorableTextPlugin()];
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: fenced }), plugins });
}

function fenceClient(client: Client, lease: Held): Client {
  let isInTransaction = false;
  const begin = async (statement: string) => {
    const begun = await client.query(statement, []);
    try {
      await assertNewest(client, lease);
    } catch (error) {
      await client.query("rollback", []);
      throw error;
    }
    return begun;
  };
  const transact = async (statement: string, parameters: readonly unknown[]) => {
    await begin("begin");
    try {
      const result = await client.query(statement, parameters);
      await client.query("commit", []);
      return result;
    } catch (error) {
      await client.query("rollback", []);
      throw error;
    }
  };
  return Object.assign(Object.create(client), {
    async query(statement: string, parameters: readonly unknown[]) {
      if (/^(begin|start transaction)/.test(statement)) {
        const begun = await begin(statement);
        isInTransaction = true;
        return begun;
      }
      if (statement === "commit" || statement === "rollback") isInTransaction = false;
      else if (!isInTransaction && !/^\s*select\s/i.test(statement)) return transact(statement, parameters);
      return client.query(statement, parameters);
    },
    release: (isBroken?: boolean) => client.release(isBroken),
  });
}

/** Until the transaction ends, nobody else can get the lease. */
async function assertNewest(client: Client, lease: Held): Promise<void> {
  await client.query(limitIdleTime, []);
  const { rows } = await client.query("select 1 from leases where job = $1 and number = $2 for share", [
    lease.job,
    lease.number,
  ]);
  if (rows.length === 0) throw new LeaseLostError(lease);
}
