import * as Sqlite from "../sqlite.ts";

/** The key that encrypts the secrets in the database. */
export interface StoreKey {
  /** Its path, unless it comes from the environment. */
  file: string;
  isFromEnvironment: boolean;
  /** Whether it can decrypt this text. */
  opens(sealed: Uint8Array): boolean;
}

export interface CheckedCopy {
  schemaVersion: number;
  products: number;
}

/** Opens a copy of the database and reads every page; fails if anything is damaged. */
export function checkCopy(file: string): CheckedCopy {
  return withCopy(file, (connection) => {
    const [fault] = connection.prepare<[], { integrity_check: string }>("pragma integrity_check(1)").all();
    if (fault?.integrity_check !== "ok") throw new Error(`${file} is damaged: ${fault?.integrity_check}`);
    return {
      schemaVersion: Number(connection.pragma("user_version", { simple: true })),
      products: connection.prepare<[], number>("select count(*) from products").pluck().get() ?? 0,
    };
  });
}

/** Whether the key can decrypt the copy's secrets; undefined if the copy has no check value. */
export function keyOpens(file: string, key: StoreKey): boolean | undefined {
  return withCopy(file, (connection) => {
    const check = connection
      .prepare<[], { sealed: Uint8Array }>("select sealed from secrets where name = 'check'")
      .get();
    return check && key.opens(check.sealed);
  });
}

function withCopy<Result>(file: string, use: (connection: Sqlite.Database) => Result): Result {
  const connection = new Sqlite.Database(file, { readonly: true, fileMustExist: true });
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}
