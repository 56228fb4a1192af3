import { randomBytes } from "node:crypto";
import pg from "pg";
import { describe } from "vitest";
import { type OpenPostgres, openPostgres } from "../../src/adapters/database/postgres/open.ts";

/** The server of the tests; not DATABASE_URL, which would also move the services that tests start. */
const { TEST_DATABASE_URL: named } = process.env;
const server = named === "none" ? undefined : named;

/** Runs on a real PostgreSQL. Without one, prints the reason and skips. */
export function describeOnPostgres(name: string, body: () => void): void {
  if (server) {
    describe(name, body);
    return;
  }
  const reason =
    "skipped: TEST_DATABASE_URL is not set; `pnpm servers start --only postgres` prints an address";
  console.warn(`${name}: ${reason}`);
  describe.skip(`${name} (${reason})`, body);
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new empty database. It can be dropped even if others are still connected. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(`create database ${name} template template0`);
  const url = new URL(server ?? "");
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) };
}

/** The same, with its tables, and opened. */
export async function openTestPostgres(): Promise<OpenPostgres & { url: string }> {
  const { url, drop } = await createTestDatabase();
  const postgres = await openPostgres({ url });
  return {
    ...postgres,
    url,
    close: async () => {
      await postgres.close();
      await drop();
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
