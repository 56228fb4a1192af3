import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/cluster.ts";
import { describeOnPostgres } from "../../testing/postgres.ts";

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

  test("what is imported anywhere is found on both", async () => {
    await importOne("z1", "Zirkonium kettle", 10);
    await Promise.all([one, two].map((node) => untilFound(node, "zirkonium kettle", 10)));
    await importOne("z1", "Zirkonium kettle", 12);
    await Promise.all([one, two].map((node) => untilFound(node, "zirkonium kettle", 12)));
    expect((await search(one, "lamp")).count).toBe((await search(two, "lamp")).count);
  });

  test("a webhook that one node created is listed by the other", async () => {
    const body = JSON.stringify({ webhookUrl: "https://hooks.example/1", webhookType: "price.alert" });
    const created = await fetch(`${one.url}/api/v1/webhooks`, authorized({ method: "POST", body }));
    const text = await created.text();
    expect(created.status, text).toBe(201);
    const listed = await (await fetch(`${two.url}/api/v1/webhooks`, authorized())).text();
    expect(listed).toContain("https://hooks.example/1");
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
});
