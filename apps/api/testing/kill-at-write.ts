import * as Sqlite from "@product-search/stores/database/sqlite.ts";

/**
 * Kills this process with SIGKILL at its nth write to any database, including begin and commit: before an odd one and
 * after an even one, unless set otherwise. No cleanup runs, as when a container loses power.
 */
export function killAtWrite(atWrite: number, isBefore = atWrite % 2 === 1): void {
  const statements: Record<string, unknown> = Object(Sqlite.Statement.prototype);
  let writes = 0;
  for (const name of ["run", "get", "all"]) {
    const original = statements[name];
    if (typeof original !== "function") throw new Error(`Statements have no ${name}.`);
    statements[name] = function countedStatement(this: Sqlite.Statement, ...parameters: unknown[]): unknown {
      if (/^\s*(select|pragma|explain)/i.test(this.source)) return original.apply(this, parameters);
      writes += 1;
      if (writes === atWrite && isBefore) process.kill(process.pid, "SIGKILL");
      const result: unknown = original.apply(this, parameters);
      if (writes === atWrite) process.kill(process.pid, "SIGKILL");
      return result;
    };
  }
}
