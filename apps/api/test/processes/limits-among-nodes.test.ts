import { setTimeout } from "node:timers/promises";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

const limit = 300;

describeOnPostgres("the limit of a token with two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  let nodes: TestNode[];
  let token: string;
  beforeAll(async () => {
    // A window that does not end during the test.
    cluster = await startTestCluster({
      TOKEN_RATE_LIMIT: `${limit}/86400`,
      PUBLIC_RATE_LIMIT: "40/86400",
      TRUST_PROXY: "127.0.0.1,::1",
    });
    nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
    // Suggestions are 503 until the index is ready.
    for (const { url } of nodes) while ((await fetch(`${url}/readyz`)).status !== 200) await setTimeout(50);
    const args = ["token", "create", "--account", "acme", "--scopes", "webhooks", "--json"];
    token = JSON.parse(await cluster.command(...args)).token;
  });
  afterAll(() => cluster?.close());

  const ask = async (node: TestNode | undefined) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${node?.url}/api/v1/webhooks`, { headers });
    await response.arrayBuffer();
    return response;
  };

  test("is left to other visitors by an address that sends too much with a public token", {
    timeout: 300_000,
  }, async () => {
    const args = ["token", "create", "--account", "shop", "--public", "--json"];
    const shared = JSON.parse(await cluster.command(...args)).token;
    const askFrom = async (address: string, number: number) => {
      const url = `${nodes[number % 2]?.url}/api/v1/search/suggestions?q=mug`;
      // Every request in another spelling, as proxies write the port of each connection.
      const forwarded = `${address}:${1024 + number}`;
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${shared}`, "x-forwarded-for": forwarded },
      });
      await response.arrayBuffer();
      return response.status;
    };
    const statuses: number[] = [];
    for (let round = 0; round < 60; round++)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 10 }, (_, number) => askFrom("203.0.113.7", number)))),
      );
    const admitted = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(admitted).toBeLessThanOrEqual(44);
    for (let host = 10; host < 40; host++) expect(await askFrom(`203.0.113.${host}`, host)).toBe(200);
  });

  test("holds for both together, within a tenth", { timeout: 300_000 }, async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 50; round++) {
      const responses = await Promise.all(Array.from({ length: 10 }, (_, number) => ask(nodes[number % 2])));
      statuses.push(...responses.map(({ status }) => status));
    }
    const admitted = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(admitted).toBeLessThanOrEqual(1.1 * limit);
    expect(admitted).toBeGreaterThanOrEqual(0.9 * limit);
    for (const node of nodes) {
      const refused = await ask(node);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.headers.get("ratelimit")).toMatch(/r=0/);
    }
  });
});
