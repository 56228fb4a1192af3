import { setTimeout } from "node:timers/promises";
import { startTcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase, describeOnPostgres } from "../../../testing/postgres.ts";
import { createGuardedPool } from "./open.ts";

async function opened(more: pg.PoolConfig = {}) {
  const { url, drop } = await createTestDatabase();
  const address = new URL(url);
  const proxy = await startTcpProxy(Number(address.port || 5432), address.hostname);
  address.host = `127.0.0.1:${proxy.port}`;
  const plain = new pg.Pool({ connectionString: address.href, ...more });
  plain.on("connect", (client) => client.on("error", () => {}));
  const pool = createGuardedPool(plain);
  const client = await pool.connect();
  onTestFinished(async () => {
    client.release();
    await pool.end();
    await proxy.close();
    await drop();
  });
  return { proxy, client };
}

describeOnPostgres("a connection of the guarded pool", () => {
  test("waits for no rollback after a statement that got no reply", async () => {
    const { proxy, client } = await opened({ query_timeout: 500 });
    await client.query("begin", []);
    proxy.silence();
    await expect(client.query("select 1", [])).rejects.toMatchObject({ code: "unavailable" });
    const waiting = setTimeout(200, "is waiting");
    const rollback = client.query("rollback", []).catch(({ code }) => code);
    expect(await Promise.race([rollback, waiting])).toBe("unavailable");
  });

  test("is unavailable after its transaction was idle for too long", async () => {
    const { client } = await opened();
    await client.query("begin", []);
    await client.query("set local idle_in_transaction_session_timeout = 20", []);
    // The server has closed the connection, but this process has not read that yet.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    await expect(client.query("select 1", [])).rejects.toMatchObject({
      code: "unavailable",
      cause: { code: "25P03" },
    });
  });
});
