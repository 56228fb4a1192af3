import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";
import { describeOnPostgres } from "../../testing/servers/postgres.ts";

const limit = 300;

describeOnPostgres("the limit of a token with two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  let nodes: TestNode[];
  let token: string;
  beforeAll(async () => {
    // A window that does not end during the test.
    cluster = await startTestCluster({ TOKEN_RATE_LIMIT: `${limit}/86400` });
    nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
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

  test("holds for both together, within a tenth", { timeout: 60_000 }, async () => {
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
