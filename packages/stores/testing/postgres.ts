import { randomBytes } from "node:crypto";
import { describeOnServer } from "@product-search/testing/servers/suite.ts";
import pg from "pg";
import { type OpenPostgres, openPostgres } from "../src/database/postgres/open.ts";

/** Of the tests; not DATABASE_URL, which would also move the services that tests start. */
const server = readServer(process.env.TEST_DATABASE_URL ?? "none");

function readServer(named: string): URL | undefined {
  if (named === "none" || named === "") return undefined;
  if (!URL.canParse(named)) throw new Error(`TEST_DATABASE_URL=${named}: write a URL, or none.`);
  return new URL(named);
}

/** Runs on a real PostgreSQL, whose address the body gets. Without one, prints the reason and skips. */
export function describeOnPostgres(name: string, body: (server: URL) => void): void {
  const missing = "it needs PostgreSQL; `pnpm servers start --only postgres` starts one";
  describeOnServer(name, server ? undefined : missing, () => body(presentServer()));
}

function presentServer(): URL {
  if (server === undefined) {
    throw new Error("TEST_DATABASE_URL names no server: use this inside describeOnPostgres only.");
  }
  return server;
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new empty database. It can be dropped even if others are still connected. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(`create database ${name} template template0`);
  const url = new URL(presentServer());
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
  const client = new pg.Client({ connectionString: presentServer().href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
