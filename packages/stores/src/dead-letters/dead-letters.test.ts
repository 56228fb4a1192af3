import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type DeadLettersFixture,
  describeDeadLetters,
} from "@product-search/testing/contracts/dead-letters.ts";
import type { Kysely } from "kysely";
import { describe } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import { openMemoryDatabase } from "../database/open.ts";
import type { Database } from "../database/schema.ts";
import { createPostgresDeadLetters, createSqliteDeadLetters } from "./dead-letters.ts";

describe("dead letters on SQLite", () => {
  describeDeadLetters(async (clock) => {
    const { db, close } = await openMemoryDatabase();
    return { ...queues(db, clock), deadLetters: createSqliteDeadLetters({ db, clock }), close };
  });
});

describeOnPostgres("dead letters on PostgreSQL", () => {
  describeDeadLetters(async (clock) => {
    const { db, close } = await openTestPostgres();
    return { ...queues(db, clock), deadLetters: createPostgresDeadLetters({ db, clock }), close };
  });
});

/** The parts of the queues that a retry needs. */
function queues(db: Kysely<Database>, clock: Clock): Omit<DeadLettersFixture, "deadLetters" | "close"> {
  return {
    addLetter: (letter) => addDeadLetter(db, { ...letter, error: "no", atMs: clock.now() }),
    async addLostImage(address) {
      const lost = { state: "lost", attempts: 3, due_at: 7, fetched_at: null, fault: "no" };
      await db
        .insertInto("pictures")
        .values({ address, ...lost })
        .execute();
    },
    image: (address) =>
      db
        .selectFrom("pictures")
        .select(["state", "attempts", "due_at"])
        .where("address", "=", address)
        .executeTakeFirst(),
    async addProduct(id) {
      await db.insertInto("products").values(product(id)).execute();
    },
    async changesOf(id) {
      const rows = await db
        .selectFrom("changes")
        .innerJoin("products", "products.row_id", "changes.product_row_id")
        .select("sequence")
        .where("products.id", "=", id)
        .execute();
      return rows.length;
    },
  };
}

function product(id: string) {
  const text = {
    source: "catalog",
    key: id,
    id,
    slug: id,
    name: id,
    store_name: "S",
    description: "",
    url: "/",
  };
  const price = { price_minor: 100, original_price_minor: null, availability: "in_stock" };
  const rating = { average_rating: null, review_count: 0, service_score: null };
  const flags = { is_verified: 0, is_boosted: 0, discount_val: 0 };
  const times = { price_since: 1, created_at: 1, updated_at: 1 };
  return { ...text, ...price, ...rating, ...flags, ...times, brand: null, category: null, images: "[]" };
}
