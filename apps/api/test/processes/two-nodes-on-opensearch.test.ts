import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  describeOnOpenSearch,
  openTestIndex,
  type TestIndex,
  testNodes,
} from "@product-search/opensearch/testing/opensearch.ts";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { startTcpProxy, type TcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

interface Product {
  _id: string;
  name: string;
  price: number;
}

describeOnOpenSearch("on OpenSearch", () => {
  describeOnPostgres("two nodes", () => {
    let index: TestIndex;
    let proxy: TcpProxy;
    let cluster: TestCluster;
    let nodes: TestNode[];
    let token: string;
    beforeAll(async () => {
      index = openTestIndex();
      const target = new URL(testNodes[0] ?? "");
      proxy = await startTcpProxy(Number(target.port), target.hostname);
      cluster = await startTestCluster({ SEARCH_URL: `http://127.0.0.1:${proxy.port}/${index.alias}` });
      nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
      const scopes = ["--account", "acme", "--scopes", "search", "--json"];
      token = JSON.parse(await cluster.command("token", "create", ...scopes)).token;
      await cluster.command("sample", "--products", "40");
      await Promise.all(nodes.map((node) => untilReady(node)));
    });
    afterAll(async () => {
      await cluster?.close();
      await proxy?.close();
      await index?.close();
    });

    const untilReady = async ({ url }: TestNode, status = 200) => {
      while ((await fetch(`${url}/readyz`)).status !== status) await setTimeout(50);
    };
    const request = async ({ url }: TestNode, path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await fetch(`${url}/api/v1${path}`, { ...init, headers });
      return { response, body: JSON.parse(await response.text()) };
    };
    const search = async (node: TestNode, query: string): Promise<Product[]> => {
      const { body } = await request(node, `/search/catalog?q=${encodeURIComponent(query)}&count=5`);
      return body.Products ?? [];
    };
    const importOne = async (key: string, name: string, price: number) => {
      const file = join(nodes[0]?.dataDir ?? "", "feed.jsonl");
      const texts = {
        name,
        brand: "Ferrolux",
        storeName: "Shop",
        description: "",
        url: "https://shop.example/1",
      };
      const row = { _id: key, ...texts, images: [], price, availability: "in_stock" };
      writeFileSync(file, `${JSON.stringify(row)}\n`);
      await cluster.command("import", file, "--source", "catalog");
    };
    const untilFound = async (node: TestNode, query: string, price: number) => {
      while (!(await search(node, query)).some((product) => product.price === price)) await setTimeout(20);
    };

    test("products imported on one node are found on both, by text, brand and suggestion", async () => {
      await importOne("z1", "Zirkonium kettle", 10);
      for (const node of nodes) await untilFound(node, "zirkonium kettle", 10);
      await importOne("z1", "Zirkonium kettle", 12);
      for (const node of nodes) {
        await untilFound(node, "zirkonium kettle", 12);
        const misspelt = { method: "POST", body: JSON.stringify({ query: "ferolux" }) };
        expect(JSON.stringify((await request(node, "/search/brands", misspelt)).body)).toContain("Ferrolux");
        const { body } = await request(node, "/search/suggestions?q=zirko");
        expect(JSON.stringify(body)).toContain("Zirkonium kettle");
      }
    });

    const changesWaiting = async ({ url }: TestNode) =>
      /^product_search_catalog_changes_waiting (\d+)$/m.exec(
        await (await fetch(`${url}/metrics`)).text(),
      )?.[1];

    test("metrics tell how many changes searches do not find", async () => {
      for (const node of nodes) await expect.poll(() => changesWaiting(node)).toBe("0");
    });

    test("deep search answers from the products on both", async () => {
      const question = { method: "POST", body: JSON.stringify({ query: "a zirkonium kettle under 20" }) };
      for (const node of nodes) {
        const { response, body } = await request(node, "/deep-search", question);
        expect(response.status, JSON.stringify(body)).toBe(200);
        expect(body.data).toMatchObject({ productCount: 1, topProducts: [{ name: "Zirkonium kettle" }] });
        expect(body.data.aiResponse).toContain("Zirkonium kettle");
      }
    });

    test("similar products are found on both", async () => {
      const [first] = await search(nodes[0] as TestNode, "lamp");
      for (const node of nodes) {
        const { response, body } = await request(node, `/products/${first?._id}/similar`);
        expect(response.status, JSON.stringify(body)).toBe(200);
      }
    });

    test("without OpenSearch, searches get 503, and everything recovers without a restart", async () => {
      proxy.cut();
      for (const node of nodes) await untilReady(node, 503);
      const [one] = nodes;
      expect(await (await fetch(`${one?.url}/readyz`)).text()).toContain("OpenSearch");
      const { response } = await request(one as TestNode, "/search/catalog?q=lamp&count=5");
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      await importOne("z2", "Yttrium kettle", 20);
      expect(await changesWaiting(one as TestNode)).toBeUndefined();
      proxy.restore();
      for (const node of nodes) {
        await untilReady(node);
        await untilFound(node, "yttrium kettle", 20);
      }
    });

    test("when the writing nodes are killed, another one takes over", async () => {
      const another = await cluster.startNode();
      await untilReady(another);
      for (const { child, exit } of nodes) {
        child.kill("SIGKILL");
        await exit;
      }
      const killedAt = performance.now();
      await importOne("z3", "Scandium kettle", 30);
      await untilFound(another, "scandium kettle", 30);
      expect(performance.now() - killedAt).toBeLessThan(60_000);
    });
  });
});
