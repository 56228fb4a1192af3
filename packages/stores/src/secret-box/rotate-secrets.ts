import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { type SecretKeys, secretBoxWith } from "./secret-keys.ts";

export interface RotateSecretsSettings {
  db: Kysely<Database>;
  keys: SecretKeys;
  /** Called after each small transaction, so that other writers have their turn. */
  pause(): Promise<void>;
}

export interface RotatedSecrets {
  /** Encrypted anew. */
  rewritten: number;
  /** Can be decrypted with no key, and were left as they are. */
  unreadable: number;
}

/** A sealed value with what identifies its row. */
interface Sealed {
  cursor: string | number;
  sealed: Uint8Array;
  replace(transaction: Kysely<Database>, sealed: Uint8Array): Promise<unknown>;
}

/** Reads the next rows of a table after a cursor, in the order of its key. */
type ReadSealed = (
  db: Kysely<Database>,
  after: string | number | undefined,
  limit: number,
) => Promise<Sealed[]>;

const batchSize = 100;

/**
 * Encrypts everything with the first key that was encrypted with another one, while services run. A value that changes meanwhile
 * is left alone: the next pass finds it, and the work ends with a pass that finds nothing. It may be interrupted and repeated.
 */
export async function rotateSecrets({ db, keys, pause }: RotateSecretsSettings): Promise<RotatedSecrets> {
  const box = secretBoxWith(keys);
  const newest = secretBoxWith(() => [keys()[0]]);
  const total = { rewritten: 0, unreadable: 0 };
  for (;;) {
    const pass = { rewritten: 0, unreadable: 0 };
    for (const read of sealedTables) {
      let cursor: Sealed["cursor"] | undefined;
      for (;;) {
        const rows = await read(db, cursor, batchSize);
        cursor = rows.at(-1)?.cursor;
        if (cursor === undefined) break;
        const former = rows.filter(({ sealed }) => !opens(newest, sealed));
        const readable = former.filter(({ sealed }) => opens(box, sealed));
        pass.unreadable += former.length - readable.length;
        if (readable.length > 0) {
          await transact(db, async (transaction) => {
            for (const { sealed, replace } of readable)
              await replace(transaction, newest.seal(box.open(sealed)));
          });
          pass.rewritten += readable.length;
        }
        await pause();
      }
    }
    total.rewritten += pass.rewritten;
    total.unreadable = pass.unreadable;
    if (pass.rewritten === 0) return total;
  }
}

function opens(box: SecretBox, sealed: Uint8Array): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}

function readSigningKeys(table: "webhooks" | "webhook_former_keys"): ReadSealed {
  return async (db, after, limit) => {
    let query = db.selectFrom(table).select(["row_id", "key"]).orderBy("row_id").limit(limit);
    if (after !== undefined) query = query.where("row_id", ">", Number(after));
    return (await query.execute()).map(({ row_id, key }) => ({
      cursor: row_id,
      sealed: key,
      replace: (transaction, next) =>
        transaction
          .updateTable(table)
          .set({ key: next })
          .where("row_id", "=", row_id)
          .where("key", "=", key)
          .execute(),
    }));
  };
}

/** Every column that is encrypted. */
const sealedTables: readonly ReadSealed[] = [
  async (db, after, limit) => {
    // A handful of rows.
    if (after !== undefined) return [];
    const rows = await db.selectFrom("secrets").select(["name", "sealed"]).limit(limit).execute();
    return rows.map(({ name, sealed }) => ({
      cursor: name,
      sealed,
      replace: (transaction, next) =>
        transaction
          .updateTable("secrets")
          .set({ sealed: next })
          .where("name", "=", name)
          .where("sealed", "=", sealed)
          .execute(),
    }));
  },
  readSigningKeys("webhooks"),
  readSigningKeys("webhook_former_keys"),
  // Responses are kept for a day. Their keys come from clients, so the rows have an order by all three parts.
  async (db, after, limit) => {
    let query = db
      .selectFrom("idempotency")
      .select(["account_id", "operation", "key", "body"])
      .where("body", "is not", null)
      .orderBy("account_id")
      .orderBy("operation")
      .orderBy("key")
      .limit(limit);
    if (after !== undefined) {
      const [account = "", operation = "", key = ""] = JSON.parse(String(after)) as string[];
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("account_id", "operation", "key"), ">", tuple(account, operation, key)),
      );
    }
    return (await query.execute()).flatMap(({ account_id, operation, key, body }) =>
      body === null
        ? []
        : {
            cursor: JSON.stringify([account_id, operation, key]),
            sealed: body,
            replace: (transaction: Kysely<Database>, next: Uint8Array) =>
              transaction
                .updateTable("idempotency")
                .set({ body: next })
                .where("account_id", "=", account_id)
                .where("operation", "=", operation)
                .where("key", "=", key)
                .where("body", "=", body)
                .execute(),
          },
    );
  },
];
