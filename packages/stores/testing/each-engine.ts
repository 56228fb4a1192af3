import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { Kysely } from "kysely";
import { describe } from "vitest";
import { openMemoryDatabase } from "../src/database/open.ts";
import type { Database } from "../src/database/schema.ts";
import { createAesGcmSecretBox } from "../src/secret-box/secret-keys.ts";
import { describeOnPostgres, openTestPostgres } from "./postgres.ts";

export interface TestStore {
  db: Kysely<Database>;
  secretBox: SecretBox;
  close(): Promise<void>;
}

/** Runs a suite on a new SQLite database, and on a new PostgreSQL database if there is a server. */
export function describeOnEachEngine(name: string, body: (open: () => Promise<TestStore>) => void): void {
  describe(`${name} on SQLite`, () => body(openSqlite));
  describeOnPostgres(`${name} on PostgreSQL`, () => body(openPostgresStore));
}

async function openSqlite(): Promise<TestStore> {
  const { db, close } = await openMemoryDatabase();
  return { db, secretBox: createTestSecretBox(), close };
}

async function openPostgresStore(): Promise<TestStore> {
  const { db, close } = await openTestPostgres();
  return { db, secretBox: createTestSecretBox(), close };
}

/** With a key that is the same in all processes of a test. */
export function createTestSecretBox(): SecretBox {
  return createAesGcmSecretBox({ secretKey: Buffer.alloc(32, 7).toString("base64"), dataDir: "" });
}
