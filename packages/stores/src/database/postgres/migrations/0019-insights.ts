import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** Counts of searches and of events on products. */
export const insights: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql`create table search_hours (
      hour bigint primary key, searches bigint not null, no_results bigint not null, clicks bigint not null,
      new_queries bigint not null, new_events bigint not null)`.execute(db);
    await sql`create table query_hours (
      query text collate "C" not null, hour bigint not null, searches bigint not null, no_results bigint not null,
      results bigint not null, clicks bigint not null, positioned bigint not null, positions bigint not null,
      primary key (query, hour))`.execute(db);
    await sql`create index query_hours_hour on query_hours (hour)`.execute(db);
    await sql`create table product_events (
      day bigint not null, product_id text collate "C" not null, clicks bigint not null, carts bigint not null,
      purchases bigint not null, primary key (day, product_id))`.execute(db);
    await sql`create table event_keys (key text collate "C" primary key, until bigint not null)`.execute(db);
    await sql`create index event_keys_until on event_keys (until)`.execute(db);
  },
};
