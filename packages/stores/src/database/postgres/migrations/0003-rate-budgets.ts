import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** Not logged: written often, of use for a minute, and no loss when the server crashes. */
const tables = `
create unlogged table rate_windows (
  key text collate "C" not null,
  "window" bigint not null,
  ends_at bigint not null,
  most bigint not null,
  taken bigint not null,
  granted bigint not null,
  primary key (key, "window")
) with (fillfactor = 70);
create index rate_windows_ends_at on rate_windows (ends_at);

create unlogged table rate_nodes (
  node text collate "C" primary key,
  seen_at bigint not null
);

create function rate_slice(taken bigint, most bigint, largest_share bigint, shares_of_rest bigint) returns bigint
language sql immutable as $$
  select greatest(0, least(most - taken, ceil(most / largest_share::numeric)::bigint,
    ceil((most - taken) / shares_of_rest::numeric)::bigint))
$$;
`;

/** What a cluster has taken of its limits, by key and window. */
export const rateBudgets: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql.raw(tables).execute(db);
  },
};
