import type Sqlite from "better-sqlite3";
import type { Requeue } from "./requeue.ts";

/** Due at once; the service's own images come first, as always. */
export function prepareRequeuePicture(connection: Sqlite.Database): Requeue {
  const requeue = connection.prepare<[number, string]>(
    `update pictures set state = 'waiting', attempts = 0, due_at = iif(address like '/%', 0, ?)
     where address = ? and state = 'lost'`,
  );
  return (address, nowMs) => (requeue.run(nowMs, address).changes > 0 ? "retried" : "obsolete");
}
