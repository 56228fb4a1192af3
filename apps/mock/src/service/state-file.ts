import { type OpenDatabase, openDatabaseFile } from "@product-search/stores/database/open.ts";
import type { ServiceSettings } from "./settings.ts";

/** The database of a mock, with what it remembers beside the stores. */
export interface State extends OpenDatabase {
  seed: number | undefined;
  /** Of that name so far. */
  count(name: string): number;
  /** Counts one more. */
  next(name: string): number;
}

/** In memory without a file. A state that is kept goes on with its seed and its counts. */
export async function openState({ stateFile = ":memory:", seed }: ServiceSettings): Promise<State> {
  const refuse = (why: string) => new Error(`--state ${stateFile}: ${why}, or name another file.`);
  const database = await openDatabaseFile(stateFile).catch((error: Error) => {
    throw refuse(`is not a state of this mock (${error.message}). Delete it`);
  });
  const { connection, close } = database;
  try {
    if (isStore(database)) throw refuse("is the store of a service. Leave it as it is");
    connection.exec("create table if not exists mock (name text primary key, value integer) without rowid");
    connection.prepare("insert or ignore into mock values ('seed', ?)").run(seed);
    const read = connection.prepare<[string], number | null>("select value from mock where name = ?").pluck();
    const add = connection
      .prepare<[string], number>(
        "insert into mock values (?, 1) on conflict do update set value = value + 1 returning value",
      )
      .pluck();
    const keptSeed = read.get("seed") ?? undefined;
    if (seed !== undefined && keptSeed !== seed)
      throw refuse(
        `was written with ${keptSeed === undefined ? "no seed" : `--seed ${keptSeed}`}. Start with the same`,
      );
    return {
      ...database,
      seed: keptSeed,
      count: (name) => read.get(name) ?? 0,
      next: (name) => add.get(name) ?? 0,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function isStore({ connection }: OpenDatabase): boolean {
  const tables = connection.prepare("select 1 from sqlite_master where name = 'mock'");
  const products = connection.prepare("select 1 from products limit 1");
  return tables.get() === undefined && products.get() !== undefined;
}
