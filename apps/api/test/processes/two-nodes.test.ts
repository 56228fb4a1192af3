import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPostgres } from "@product-search/stores/database/postgres/open.ts";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { type Receiver, startReceiver } from "@product-search/testing/receiver.ts";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

describeOnPostgres("two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  let one: TestNode;
  let two: TestNode;
  let token: string;
  beforeAll(async () => {
    cluster = await startTestCluster();
    [one, two] = await Promise.all([cluster.startNode(), cluster.startNode()]);
    const created = await cluster.command(
      "token",
      "create",
      "--account",
      "acme",
      "--scopes",
      "search,webhooks",
      "--json",
    );
    token = JSON.parse(created).token;
    await cluster.command("sample", "--products", "60");
    await Promise.all([one, two].map((node) => untilReady(node)));
  });
  afterAll(() => cluster?.close());

  const ready = async ({ url }: TestNode) => fetch(`${url}/readyz`);
  const untilReady = async (node: TestNode, status = 200) => {
    while ((await ready(node)).status !== status) await setTimeout(50);
  };
  const authorized = (init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  const search = async ({ url }: TestNode, query: string) => {
    const response = await fetch(
      `${url}/api/v1/search/catalog?q=${encodeURIComponent(query)}&count=5`,
      authorized(),
    );
    const body = JSON.parse(await response.text());
    const products: { name: string; price: number }[] = body.Products ?? [];
    return { status: response.status, count: Number(body.count), products };
  };
  const importOne = async (key: string, name: string, price: number) => {
    const file = join(one.dataDir, "feed.jsonl");
    const row = {
      _id: key,
      name,
      storeName: "Shop",
      description: "",
      url: "https://shop.example/1",
      images: [],
      price,
    };
    writeFileSync(file, `${JSON.stringify({ ...row, availability: "in_stock" })}\n`);
    await cluster.command("import", file, "--source", "catalog");
  };
  const untilFound = async (node: TestNode, query: string, price: number) => {
    for (;;) {
      const { products } = await search(node, query);
      if (products.some((product) => product.price === price)) return;
      await setTimeout(20);
    }
  };

  test("products imported on one node are found on both", async () => {
    await importOne("z1", "Zirkonium kettle", 10);
    await Promise.all([one, two].map((node) => untilFound(node, "zirkonium kettle", 10)));
    await importOne("z1", "Zirkonium kettle", 12);
    await Promise.all([one, two].map((node) => untilFound(node, "zirkonium kettle", 12)));
    expect((await search(one, "lamp")).count).toBe((await search(two, "lamp")).count);
  });

  test("a synonym that was added applies on both nodes within two seconds", async () => {
    await importOne("z2", "Quibbling bench", 30);
    await Promise.all([one, two].map((node) => untilFound(node, "quibbling", 30)));
    // Kinds near in meaning may be shown.
    expect((await search(two, "glimmerseat")).products.some(({ price }) => price === 30)).toBe(false);
    await cluster.command("synonyms", "add", "glimmerseat => quibbling");
    const changedAt = performance.now();
    await Promise.all([one, two].map((node) => untilFound(node, "glimmerseat", 30)));
    expect(performance.now() - changedAt).toBeLessThan(20_000);
  });

  test("a webhook that one node created is listed by the other", async () => {
    const body = JSON.stringify({ webhookUrl: "https://hooks.example/1", webhookType: "price.alert" });
    const created = await fetch(`${one.url}/api/v1/webhooks`, authorized({ method: "POST", body }));
    const text = await created.text();
    expect(created.status, text).toBe(201);
    const listed = await (await fetch(`${two.url}/api/v1/webhooks`, authorized())).text();
    expect(listed).toContain("https://hooks.example/1");
  });

  const createNewToken = async (): Promise<{ id: string; token: string }> =>
    JSON.parse(
      await cluster.command("token", "create", "--account", "new", "--scopes", "search,webhooks", "--json"),
    );
  const statusWith = async ({ url }: TestNode, newToken: string) => {
    const headers = { authorization: `Bearer ${newToken}` };
    return (await fetch(`${url}/api/v1/search/catalog?q=lamp`, { headers })).status;
  };

  test("a token that was revoked elsewhere stops working on every node within a second", async () => {
    const { id, token: revoked } = await createNewToken();
    let isRevoked = false;
    const use = async (node: TestNode) => {
      for (;;) {
        const wasRevoked = isRevoked;
        const status = await statusWith(node, revoked);
        if (status === 401) return performance.now();
        expect(status).toBe(200);
        await setTimeout(wasRevoked ? 10 : 50);
      }
    };
    const ends = [use(one), use(two)];
    await setTimeout(500);
    await cluster.command("token", "revoke", id);
    isRevoked = true;
    const revokedAtMs = performance.now();
    for (const end of ends) expect((await end) - revokedAtMs).toBeLessThan(10_000);
  });

  test("a token that only one node has used works on the other one during an outage", async () => {
    const { token: used } = await createNewToken();
    const until = performance.now() + 35_000;
    while (performance.now() < until) {
      expect(await statusWith(one, used)).toBe(200);
      await setTimeout(1000);
    }
    cluster.proxy.cut();
    await untilReady(two, 503);
    expect(await statusWith(two, used)).toBe(200);
    cluster.proxy.restore();
    await Promise.all([one, two].map((node) => untilReady(node)));
  });

  test.each(["cut", "silence"] as const)(
    "without PostgreSQL (%s) searches go on, writes wait, and all recovers alone",
    async (how) => {
      await search(one, "lamp");
      const before = await search(one, "lamp");
      cluster.proxy[how]();
      await untilReady(one, 503);
      expect(await (await ready(one)).text()).toContain("PostgreSQL");
      expect(await search(one, "lamp")).toEqual(before);
      expect((await fetch(`${two.url}/api/v1/search/trial?q=lamp`)).status).toBe(200);
      const body = JSON.stringify({ webhookUrl: "https://hooks.example/2", webhookType: "price.alert" });
      const refused = await fetch(`${one.url}/api/v1/webhooks`, authorized({ method: "POST", body }));
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      cluster.proxy.restore();
      await Promise.all([one, two].map((node) => untilReady(node)));
      await importOne("z2", `Yttrium ${how} kettle`, 20);
      await Promise.all([one, two].map((node) => untilFound(node, `yttrium ${how} kettle`, 20)));
    },
  );

  test("metrics are served without PostgreSQL", async () => {
    cluster.proxy.cut();
    await untilReady(one, 503);
    const response = await fetch(`${one.url}/metrics`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("product_search_http_requests_total");
    cluster.proxy.restore();
    await untilReady(one);
  });

  /** Starts an import of many products named so; resolves when it has begun to apply them. */
  const startManyImports = async (name: string, count: number) => {
    const { db, close } = await openPostgres({ url: cluster.databaseUrl });
    const file = join(one.dataDir, "many.jsonl");
    const row = { storeName: "Shop", description: "", url: "https://shop.example/1", images: [], price: 5 };
    const rows = Array.from({ length: count }, (_, index) => ({
      ...row,
      _id: `${name}${index}`,
      name: `${name} ${index}`,
      availability: "in_stock",
    }));
    writeFileSync(file, rows.map((each) => JSON.stringify(each)).join("\n"));
    const importing = cluster.run("import", file, "--source", "catalog");
    const position = async () =>
      (await db.selectFrom("imports").select("position").executeTakeFirst())?.position ?? 0;
    while ((await position()) === 0) await setTimeout(5);
    const counted = async () => {
      const found = await sql<{ products: number }>`
        select count(*) as products from products where name like ${`${name} %`}`.execute(db);
      return found.rows[0]?.products ?? 0;
    };
    return { importing, db, counted, close };
  };

  test("an import whose process was paused writes nothing once another one has finished it", async () => {
    const { importing, db, counted, close } = await startManyImports("Vase", 5000);
    importing.child.kill("SIGSTOP");
    while ((await counted()) < 5000) await setTimeout(50);
    const isOver = async () =>
      (await db.selectFrom("imports").selectAll().where("staging_file", "is not", null).execute()).length ===
      0;
    while (!(await isOver())) await setTimeout(50);
    await importOne("Vase4999", "Vase 4999", 7);
    importing.child.kill("SIGCONT");
    expect(await importing.exit).toBe(1);
    expect(importing.output()).toMatch(/taken over|cannot be reached/);
    const prices = await sql<{ price: number }>`
      select h.price_minor as price from price_history h join products p on p.row_id = h.product_row_id
      where p.key = 'Vase4999' order by h.id`.execute(db);
    expect(prices.rows.map(({ price }) => price)).toEqual([500, 700]);
    await close();
  });

  test("a database that was put back to an earlier state is followed, also when it has grown since", async () => {
    const { db, close } = await openPostgres({ url: cluster.databaseUrl });
    const last = await sql<{ rowId: number; last: number }>`
      select max(row_id) as "rowId", (select last from change_counters where log = 'changes') as last from products`.execute(
      db,
    );
    const { rowId = 0, last: sequence = 0 } = last.rows[0] ?? {};
    await importOne("lost", "Osmium kettle", 30);
    await Promise.all([one, two].map((node) => untilFound(node, "osmium kettle", 30)));
    // As a backup from before that import leaves it, and another import after the restore.
    await db.transaction().execute(async (transaction) => {
      await sql`delete from price_history where product_row_id > ${rowId}`.execute(transaction);
      await sql`delete from products where row_id > ${rowId}`.execute(transaction);
      await sql`delete from changes where sequence > ${sequence}`.execute(transaction);
      await sql`delete from change_marks where log = 'changes' and sequence > ${sequence}`.execute(
        transaction,
      );
      await sql`update change_counters set last = ${sequence} where log = 'changes'`.execute(transaction);
      await sql`select setval('products_row_id_seq', ${rowId})`.execute(transaction);
    });
    await close();
    await importOne("other", "Iridium kettle", 40);
    await Promise.all([one, two].map((node) => untilFound(node, "iridium kettle", 40)));
    for (const node of [one, two]) {
      await untilReady(node);
      const { products } = await search(node, "osmium kettle");
      expect(products.map(({ name }) => name)).not.toContain("Osmium kettle");
    }
  });
});

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
