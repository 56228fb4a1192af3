import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startTcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import {
  type Certificates,
  createCertificates,
  describeWithOpenssl,
  startTlsProxy,
  type TlsProxy,
} from "@product-search/testing/tls/certificates.ts";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from "vitest";
import { createTestDatabase, describeOnPostgres, type TestDatabase } from "../../../testing/postgres.ts";
import { openDatabase } from "../open.ts";
import { createUnstorableTextPlugin } from "./errors.ts";
import { migratePostgres, migrationLock, migrations } from "./migrate.ts";
import { createGuardedPool, openMigratedPostgres, openPostgres } from "./open.ts";

describe("open", () => {
  async function emptyDatabase(): Promise<string> {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    return url;
  }

  async function opened(url: string) {
    const postgres = await openPostgres({ url });
    onTestFinished(() => postgres.close());
    return postgres;
  }

  async function openedWithUrl() {
    const url = await emptyDatabase();
    return { url, ...(await opened(url)) };
  }

  describeOnPostgres("PostgreSQL", () => {
    test("creates its tables once, even if many nodes start together", async () => {
      const url = await emptyDatabase();
      const nodes = await Promise.all([1, 2, 3, 4].map(() => opened(url)));
      for (const { db } of nodes) expect(await db.selectFrom("products").selectAll().execute()).toEqual([]);
    });

    test("a node that waited for another one's migration sees its tables", async () => {
      const url = await emptyDatabase();
      const [waiting, migrating] = await Promise.all(
        [1, 2].map(async () => {
          const postgres = await openMigratedPostgres({ url, maxConnections: 1 });
          onTestFinished(() => postgres.close());
          return postgres.db;
        }),
      );
      if (waiting === undefined || migrating === undefined) throw new Error("Two connections are needed.");
      const locked = Promise.withResolvers<void>();
      const migration = migrating.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(transaction);
        locked.resolve();
        // By then the other node has seen no table, and waits.
        await setTimeout(150);
        await sql`create table store_version (version integer, needs integer)`.execute(transaction);
        await sql`insert into store_version values (${migrations.length}, 1)`.execute(transaction);
      });
      await locked.promise;
      await Promise.all([migratePostgres(waiting), migration]);
      const { rows } = await sql<{ table: string | null }>`select to_regclass('products') as table`.execute(
        waiting,
      );
      expect(rows).toEqual([{ table: null }]);
    });

    test("a migration gives way to a transaction that would deadlock with it, and succeeds after it", async () => {
      const { db, url } = await openedWithUrl();
      const { db: other } = await opened(url);
      const migration = {
        needs: 1,
        statements: "alter table products add later integer; alter table leases add later integer",
      };
      const locked = Promise.withResolvers<void>();
      const working = other.transaction().execute(async (transaction) => {
        await sql`lock table leases in row exclusive mode`.execute(transaction);
        locked.resolve();
        // By then the migration has the other table, and waits for this one.
        await setTimeout(150);
        await sql`lock table products in row exclusive mode`.execute(transaction);
      });
      await locked.promise;
      await Promise.all([migratePostgres(db, [...migrations, migration]), working]);
      expect((await sql`select later from products`.execute(db)).rows).toEqual([]);
    });

    test("has every table and column of the SQLite store", async () => {
      const { db } = await opened(await emptyDatabase());
      const { mkdtemp, rm } = await import("node:fs/promises");
      const dataDir = await mkdtemp(join(tmpdir(), "columns-"));
      const sqlite = await openDatabase(dataDir);
      onTestFinished(() => sqlite.close().then(() => rm(dataDir, { recursive: true })));
      const tables = await sqlite.db.introspection.getTables();
      const columns = await sql<{ table: string; column: string; nullable: boolean }>`
      select table_name as table, column_name as column, is_nullable = 'YES' as nullable
      from information_schema.columns where table_schema = 'public'`.execute(db);
      const found = columns.rows.map(({ table, column, nullable }) => `${table}.${column} ${nullable}`);
      for (const { name: table, columns } of tables) {
        for (const { name, isNullable } of columns) {
          // A primary key in SQLite has no NOT NULL, and contains no null.
          if (isNullable) expect(found.some((each) => each.startsWith(`${table}.${name} `))).toBe(true);
          else expect(found).toContain(`${table}.${name} false`);
        }
      }
    });

    test("reads integers as numbers, and sets timeouts for statements and locks", async () => {
      const { db } = await opened(await emptyDatabase());
      const read = await sql<
        Record<string, unknown>
      >`select 9007199254740991::bigint as big, sum(2)::numeric as total,
      current_setting('statement_timeout') as statements, current_setting('lock_timeout') as locks,
      current_setting('idle_in_transaction_session_timeout') as idle, '\\x00ff'::bytea as bytes, null as nothing`.execute(
        db,
      );
      expect(read.rows[0]).toEqual({
        big: Number.MAX_SAFE_INTEGER,
        total: 2,
        statements: "10s",
        locks: "5s",
        idle: "10s",
        bytes: Buffer.from([0, 255]),
        nothing: null,
      });
    });

    test("uses the time of the database's clock", async () => {
      const { db, clock } = await opened(await emptyDatabase());
      const read = await sql<{
        now: number;
      }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
      expect(Math.abs(clock.now() - (read.rows[0]?.now ?? 0))).toBeLessThan(1000);
    });

    test("runs on tables that a newer release has expanded, and refuses those that it has contracted", async () => {
      const { db } = await opened(await emptyDatabase());
      const expanded = { needs: 1, statements: "alter table feeds add column added text" };
      await migratePostgres(db, [...migrations, expanded]);
      await migratePostgres(db, migrations);
      const contracted = { needs: migrations.length + 2, statements: "select 1" };
      await migratePostgres(db, [...migrations, expanded, contracted]);
      await expect(migratePostgres(db, migrations)).rejects.toThrow("Run the newer release");
    });

    test("distinguishes connection errors, after which the next statement uses a new connection", async () => {
      const url = await emptyDatabase();
      const { db } = await opened(url);
      const other = await opened(url);
      const failure = db.transaction().execute(async (transaction) => {
        const own = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
        await sql`select pg_terminate_backend(${own.rows[0]?.pid})`.execute(other.db);
        await sql`select 1`.execute(transaction);
      });
      await expect(failure).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "2" } });
      expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
      await expect(sql`select nothing`.execute(db)).rejects.not.toMatchObject({ code: "unavailable" });
    });

    test("threads of a process can start while the server cannot be reached", async () => {
      const postgres = await openMigratedPostgres({ url: "postgres://nobody@127.0.0.1:1/nothing" });
      expect(Math.abs(postgres.clock.now() - Date.now())).toBeLessThan(1000);
      await expect(sql`select 1`.execute(postgres.db)).rejects.toMatchObject({ code: "unavailable" });
      await postgres.close();
    });

    test("names the database and the remedy, without the password", async () => {
      const url = new URL(await emptyDatabase());
      url.password = "secret";
      const missing = new URL(url);
      missing.pathname = "/missing";
      await expect(openPostgres({ url: missing.href })).rejects.toThrow(
        /\/missing does not exist .*createdb/,
      );
      const unreachable = new URL(url);
      unreachable.port = "1";
      const error = await openPostgres({ url: unreachable.href }).catch((error: unknown) => String(error));
      expect(error).toMatch(/127\.0\.0\.1:1\/\S+ cannot be reached/);
      expect(error).not.toContain("secret");
    });
  });

  describeWithOpenssl("encrypted connections", () => {
    describeOnPostgres("to PostgreSQL", () => {
      let certificates: Certificates;
      let database: TestDatabase;
      let proxy: TlsProxy;
      beforeAll(async () => {
        certificates = createCertificates();
        database = await createTestDatabase();
        const { port, hostname } = new URL(database.url);
        const target = { port: Number(port || 5432), host: hostname, isPostgres: true };
        proxy = await startTlsProxy(target, certificates.server);
      });
      afterAll(async () => {
        await proxy?.close();
        await database?.drop();
        certificates?.remove();
      });

      const addressOf = (options: string, host = "localhost") => {
        const url = new URL(database.url);
        url.host = `${host}:${proxy.port}`;
        return `${url.href}?${options}`;
      };
      const opened = async (url: string) => {
        const { db, close } = await openPostgres({ url });
        const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db).finally(close);
        return rows;
      };

      test("work with the file of a certificate authority", async () => {
        const url = addressOf(`sslmode=verify-full&sslrootcert=${certificates.caFile}`);
        expect(await opened(url)).toEqual([{ one: 1 }]);
      });

      test("fail when the certificate is signed by an unknown authority", async () => {
        await expect(opened(addressOf("sslmode=verify-full"))).rejects.toThrow(/certificate/);
      });

      test("fail when the certificate is for another host", async () => {
        const url = addressOf(`sslmode=verify-full&sslrootcert=${certificates.caFile}`, "127.0.0.1");
        await expect(opened(url)).rejects.toThrow(/certificate|altnames/);
      });

      test("are not attempted without sslmode: the server decides", async () => {
        await expect(opened(addressOf(""))).rejects.toThrow();
        expect(proxy.unencrypted()).toBeGreaterThan(0);
      });
    });
  });
});

describe("guarded pool", () => {
  async function opened(more: pg.PoolConfig = {}) {
    const { url, drop } = await createTestDatabase();
    const address = new URL(url);
    const proxy = await startTcpProxy(Number(address.port || 5432), address.hostname);
    address.host = `127.0.0.1:${proxy.port}`;
    const plain = new pg.Pool({ connectionString: address.href, ...more });
    plain.on("connect", (client) => client.on("error", () => {}));
    const pool = createGuardedPool(plain);
    const client = await pool.connect();
    onTestFinished(async () => {
      client.release();
      await pool.end();
      await proxy.close();
      await drop();
    });
    return { proxy, client };
  }

  describeOnPostgres("a connection of the guarded pool", () => {
    test("waits for no rollback after a statement that got no reply", async () => {
      const { proxy, client } = await opened({ query_timeout: 500 });
      await client.query("begin", []);
      proxy.silence();
      await expect(client.query("select 1", [])).rejects.toMatchObject({ code: "unavailable" });
      const waiting = setTimeout(200, "is waiting");
      const rollback = client.query("rollback", []).catch(({ code }) => code);
      expect(await Promise.race([rollback, waiting])).toBe("unavailable");
    });

    test("is unavailable after its transaction was idle for too long", async () => {
      const { client } = await opened();
      await client.query("begin", []);
      await client.query("set local idle_in_transaction_session_timeout = 20", []);
      // The server has closed the connection, but this process has not read that yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      await expect(client.query("select 1", [])).rejects.toMatchObject({
        code: "unavailable",
        cause: { code: "25P03" },
      });
    });
  });
});

const db = new Kysely<{ things: { id: string; name: string } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (introspected) => new PostgresIntrospector(introspected),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [createUnstorableTextPlugin()],
});
const select = () => db.selectFrom("things").select("name");

describe("a comparison with text that PostgreSQL cannot store", () => {
  it("is false", () => {
    const { sql, parameters } = select().where("id", "=", "a\u0000b").where("name", "=", "c").compile();
    expect(sql).toBe('select "name" from "things" where 1 = 0 and "name" = $1');
    expect(parameters).toEqual(["c"]);
  });

  it("leaves the text out of a list", () => {
    const { sql, parameters } = select().where("id", "in", ["a", "\u0000", "b"]).compile();
    expect(sql).toBe('select "name" from "things" where "id" in ($1, $2)');
    expect(parameters).toEqual(["a", "b"]);
    expect(select().where("id", "in", ["\u0000"]).compile().sql).toContain("where 1 = 0");
  });

  it("is false in updates, deletions and inner queries", () => {
    const inner = select().where("id", "=", "\u0000");
    for (const { sql, parameters } of [
      db.updateTable("things").set({ name: "x" }).where("id", "=", "\u0000").compile(),
      db.deleteFrom("things").where("id", "=", "\u0000").compile(),
      select().where("name", "in", inner).compile(),
    ]) {
      expect(sql).toContain("where 1 = 0");
      expect(parameters.join("")).not.toContain("\u0000");
    }
  });

  it("stays an error when it is written", () => {
    const { parameters } = db.insertInto("things").values({ id: "\u0000", name: "x" }).compile();
    expect(parameters).toEqual(["\u0000", "x"]);
    expect(db.updateTable("things").set({ name: "\u0000" }).compile().parameters).toEqual(["\u0000"]);
  });
});
