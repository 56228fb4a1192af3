import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/** Counts of searches and of events on products. */
export const insights = {
  async up(db: Kysely<Database>): Promise<void> {
    await sql`create table search_hours (
      hour integer primary key, searches integer not null, no_results integer not null, clicks integer not null,
      new_queries integer not null, new_events integer not null)`.execute(db);
    await sql`create table query_hours (
      query text not null, hour integer not null, searches integer not null, no_results integer not null,
      results integer not null, clicks integer not null, positioned integer not null, positions integer not null,
      primary key (query, hour)) without rowid`.execute(db);
    await sql`create index query_hours_hour on query_hours (hour)`.execute(db);
    await sql`create table product_events (
      day integer not null, product_id text not null, clicks integer not null, carts integer not null,
      purchases integer not null, primary key (day, product_id)) without rowid`.execute(db);
    await sql`create table event_keys (key text primary key, until integer not null) without rowid`.execute(
      db,
    );
    await sql`create index event_keys_until on event_keys (until)`.execute(db);
  },
};
