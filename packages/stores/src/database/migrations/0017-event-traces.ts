import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** The span in which an event was made: its deliveries are part of the same trace. */
export const eventTraces = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("webhook_events").addColumn("traceparent", "text").execute();
  },
};
