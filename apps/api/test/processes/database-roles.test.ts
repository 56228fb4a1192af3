import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { type Receiver, startReceiver } from "@product-search/testing/receiver.ts";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";

/** The statements of docs/scale.md: for the server, for the new database, and for one that has tables. */
const page = readFileSync(fileURLToPath(new URL("../../../../docs/scale.md", import.meta.url)), "utf8");
const section = /^### Separate roles\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
const blocks = [...section.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

describeOnPostgres("a role that owns the tables, and one for the nodes", (server) => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const dataDir = makeDataDir();
  let service: RunningService;
  let receiver: Receiver;

  const urlOf = (user?: string) => {
    const url = new URL(server);
    if (user !== undefined) {
      url.username = user;
      url.pathname = `/${name}`;
    }
    return url.href;
  };
  const execute = async (connectionString: string, statements: readonly string[]) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const statementsOf = (block = "") => block.replaceAll("product_search", name).match(/[^;]+;/g) ?? [];
  const superuser = decodeURIComponent(new URL(urlOf()).username);
  const environment = (user: string) => ({
    DATABASE_URL: urlOf(user),
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    DATA_DIR: dataDir,
    THREADS: "1",
    LOG_LEVEL: "warn",
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  const command = async (user: string, ...args: string[]) => {
    const { output, exit } = run(args, { PORT: "0", ...environment(user) });
    return { status: await exit, output: output() };
  };

  beforeAll(async () => {
    receiver = await startReceiver();
    await execute(urlOf(), statementsOf(blocks[0]));
    await execute(urlOf(superuser), statementsOf(blocks[1]));
  });
  afterAll(async () => {
    service?.child.kill("SIGKILL");
    await service?.exit;
    await receiver?.close();
    removeDataDir(dataDir);
    const roles = [name, `${name}_owner`].map((role) => `drop role if exists ${role}`);
    await execute(urlOf(), [`drop database if exists ${name} with (force)`, ...roles]);
  });

  test("a node that would have to create the tables does not start, and says who can", async () => {
    const { status, output } = await command(name, "serve");
    expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining("pnpm api doctor") });
  });

  test("`doctor` with the owner creates the tables, and a node starts", async () => {
    expect(await command(`${name}_owner`, "doctor")).toMatchObject({ status: 0 });
    // As `migrate-store` with the owner leaves it.
    await execute(urlOf(`${name}_owner`), [
      "create table store_migration (slot integer primary key, origin text not null)",
      "insert into store_migration values (1, 'x')",
    ]);
    service = await serve(environment(name));
    while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
  });

  test("with the role of the nodes, products are imported and found, and changes delivered", async () => {
    const created = await command(
      name,
      ...["token", "create", "--account", "acme", "--scopes", "search,webhooks", "--json"],
    );
    const { token } = JSON.parse(created.output);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ webhookUrl: `${receiver.url}/hook`, webhookType: "price.alert" });
    const webhook = await fetch(`${service.url}/api/v1/webhooks`, { method: "POST", headers, body });
    expect(webhook.status, await webhook.text()).toBe(201);
    for (const price of [10, 12]) {
      const file = join(dataDir, "feed.jsonl");
      const row = {
        _id: "z1",
        name: "Zirkonium kettle",
        storeName: "Shop",
        description: "",
        images: [],
        price,
      };
      writeFileSync(
        file,
        JSON.stringify({ ...row, url: "https://shop.example/1", availability: "in_stock" }),
      );
      expect(await command(name, "import", file, "--source", "catalog")).toMatchObject({ status: 0 });
    }
    while (receiver.received.length === 0) await setTimeout(20);
    expect(receiver.received[0]?.body).toContain('"price":12');
    const found = async () =>
      (await fetch(`${service.url}/api/v1/search/catalog?q=zirkonium`, { headers })).text();
    while (!(await found()).includes('"price":12')) await setTimeout(20);
    expect((await command(name, "doctor")).output).toContain("No damage");
  });

  test.each([
    "create table other (id integer)",
    "drop table products",
    "alter table audit_log disable trigger all",
    "truncate products",
  ])("the role of the nodes may not: %s", async (statement) => {
    await expect(execute(urlOf(name), [statement])).rejects.toThrow(/permission denied|must be owner/);
  });

  test("the statements for a database that has tables are valid too", async () => {
    expect(blocks).toHaveLength(3);
    await execute(urlOf(superuser), statementsOf(blocks[2]));
  });
});
