import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { migratePostgres, migrations } from "@product-search/stores/database/postgres/migrate.ts";
import { openMigratedPostgres } from "@product-search/stores/database/postgres/open.ts";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

describe("rolling restart", () => {
  const requests = 10_000;
  const clients = 16;
  /** Every nth request creates a webhook, and the next one deletes it. */
  const writeEvery = 20;

  interface Node extends RunningService {
    agent: Agent;
  }

  /**
   * Acts like a proxy in front of the service: sends requests to the nodes in rotation, on connections that stay open.
   */
  function createProxy(token: string) {
    const rotation: Node[] = [];
    let turn = 0;
    return {
      rotation,
      send(method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
        turn += 1;
        const node = rotation[turn % rotation.length];
        if (node === undefined) throw new Error("No node is in rotation.");
        const payload = body === undefined ? "" : JSON.stringify(body);
        const headers = {
          authorization: `Bearer ${token}`,
          ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        };
        return new Promise((resolve, reject) => {
          const sent = request(
            `${node.url}/api/v1${path}`,
            { method, headers, agent: node.agent },
            (response) => {
              let text = "";
              response.on("data", (chunk: Buffer) => (text += chunk.toString()));
              response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
              response.on("error", reject);
            },
          );
          sent.on("error", reject);
          sent.end(payload);
        });
      },
    };
  }

  test(`a rolling restart of two processes on one database loses none of ${requests} requests`, {
    timeout: 240_000,
  }, async () => {
    const dataDir = makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const environment = {
      DATA_DIR: dataDir,
      THREADS: "1",
      LOG_LEVEL: "warn",
      TOKEN_RATE_LIMIT: "0",
      TRIAL_RATE_LIMIT: "0",
    };
    const command = async (...args: string[]) => {
      const { exit, output } = run(args, environment);
      expect(await exit, output()).toBe(0);
      return output();
    };
    const feed = join(dataDir, "feed.jsonl");
    writeFileSync(feed, Array.from({ length: 200 }, (_, at) => nativeLine(`k${at}`)).join(""));
    await command("import", feed, "--source", "catalog");
    const made = await command("token", "create", "--account", "a", "--scopes", "search,webhooks", "--json");
    const proxy = createProxy(JSON.parse(made).token);

    const start = async (): Promise<Node> => {
      const service = await serve(environment);
      onTestFinished(() => void service.child.kill("SIGKILL"));
      while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
      return { ...service, agent: new Agent({ keepAlive: true, maxSockets: clients }) };
    };
    proxy.rotation.push(await start(), await start());

    let sent = 0;
    const failures: unknown[] = [];
    const statuses = new Map<number, number>();
    const attempt = async (method: string, path: string, body?: object) => {
      sent += 1;
      try {
        const response = await proxy.send(method, path, body);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        return response;
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    };
    const kept = { created: 0, deleted: 0 };
    const client = async () => {
      while (sent < requests) {
        if (sent % writeEvery > 0) {
          await attempt("GET", "/search/catalog?q=lamp&count=5");
          continue;
        }
        const webhook = { webhookUrl: "https://hooks.example/x", webhookType: "price.alert" };
        const created = await attempt("POST", "/webhooks", webhook);
        if (created?.status !== 201) continue;
        kept.created += 1;
        const { data }: { data: { id: string } } = JSON.parse(created.body);
        const deleted = await attempt("DELETE", `/webhooks/${data.id}`);
        if (deleted?.status === 200) kept.deleted += 1;
      }
    };
    let restarts = 0;
    const restarting = async () => {
      while (sent < requests) {
        const next = await start();
        const [oldest] = proxy.rotation.splice(0, 1, next);
        // Requests are still in progress on its connections.
        oldest?.child.kill("SIGTERM");
        expect(await oldest?.exit).toBe(0);
        oldest?.agent.destroy();
        restarts += 1;
      }
    };
    await Promise.all([...Array.from({ length: clients }, client), restarting()]);

    expect(failures).toEqual([]);
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 201]);
    expect(sent).toBeGreaterThanOrEqual(requests);
    expect(restarts).toBeGreaterThanOrEqual(2);
    expect(kept.deleted).toBe(kept.created);
    expect(await proxy.send("GET", "/webhooks")).toMatchObject({ status: 200 });
    expect(JSON.parse((await proxy.send("GET", "/webhooks")).body).data).toEqual([]);
    console.info(`${sent} requests, ${kept.created} of them created a webhook, during ${restarts} restarts`);
    for (const node of proxy.rotation) node.child.kill("SIGTERM");
    for (const node of proxy.rotation) expect(await node.exit).toBe(0);
  });
});

describe("rolling upgrade", () => {
  /** What a later release may do to tables that this one uses. */
  const extended = [
    "products",
    "price_history",
    "webhooks",
    "deliveries",
    "tokens",
    "changes",
    "leases",
    "imports",
  ];
  const laterRelease = {
    needs: 1,
    statements: `
    ${extended.map((table) => `alter table ${table} add column later text not null default 'x';`).join("\n")}
    create table later_things (id integer primary key);
    create index products_later on products (later);`,
  };

  const clients = 4;

  describeOnPostgres("a rolling upgrade", () => {
    let cluster: TestCluster;
    let token: string;
    const folder = makeDataDir();
    beforeAll(async () => {
      cluster = await startTestCluster({ TOKEN_RATE_LIMIT: "0", WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
    });
    afterAll(async () => {
      await cluster?.close();
      removeDataDir(folder);
    });

    const startReadyNode = async () => {
      const node = await cluster.startNode();
      while (!(await fetch(`${node.url}/readyz`)).ok) await setTimeout(50);
      return node;
    };
    const importPrice = async (price: number) => {
      const file = join(folder, `feed-${price}.jsonl`);
      const lines = Array.from({ length: 20 }, (_, at) => nativeLine(`k${at}`, { price }));
      writeFileSync(file, lines.join(""));
      await cluster.command("import", file, "--source", "catalog");
    };

    test("of the tables under load: nodes of the former release serve every request, before and after a restart", {
      timeout: 300_000,
    }, async () => {
      const receiver = await startReceiver();
      await importPrice(10);
      const scopes = ["--account", "a", "--scopes", "search,webhooks", "--json"];
      token = JSON.parse(await cluster.command("token", "create", ...scopes)).token;
      const rotation: TestNode[] = [await startReadyNode()];

      let isOver = false;
      const statuses = new Map<string, number>();
      const inFlight = new Map<TestNode | undefined, number>();
      const count = (node: TestNode | undefined, change: number) =>
        inFlight.set(node, (inFlight.get(node) ?? 0) + change);
      const request = async (path: string, init: RequestInit = {}) => {
        const headers = {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          connection: "close",
        };
        const [node] = rotation;
        count(node, 1);
        const outcome = await fetch(`${node?.url}/api/v1${path}`, { ...init, headers })
          .then(async (response) => ({ status: String(response.status), body: await response.text() }))
          .catch((error: Error) => ({ status: String(error.cause ?? error), body: "" }));
        count(node, -1);
        statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
        return outcome;
      };
      const client = async () => {
        while (!isOver) {
          await request("/search/catalog?q=lamp&count=5");
          const webhook = { webhookUrl: `${receiver.url}/gone`, webhookType: "stock.alert" };
          const { body } = await request("/webhooks", { method: "POST", body: JSON.stringify(webhook) });
          if (body !== "") await request(`/webhooks/${JSON.parse(body).data?.id}`, { method: "DELETE" });
        }
      };
      const unexpected = () => [...statuses.keys()].filter((status) => status !== "200" && status !== "201");
      const untilReceived = async (count: number) => {
        while (receiver.received.length < count && unexpected().length === 0) await setTimeout(50);
      };
      const load = Promise.all(Array.from({ length: clients }, client));
      const kept = { webhookUrl: `${receiver.url}/kept`, webhookType: "price.alert" };
      await request("/webhooks", { method: "POST", body: JSON.stringify(kept) });

      const { db, close } = await openMigratedPostgres({ url: cluster.databaseUrl });
      await migratePostgres(db, [...migrations, laterRelease]);
      await close();
      await importPrice(11);
      await untilReceived(20);

      const next = await startReadyNode();
      const [first] = rotation.splice(0, 1, next);
      // As a balancer does: a connection that is made while the node closes its port is reset.
      while ((inFlight.get(first) ?? 0) > 0) await setTimeout(20);
      first?.child.kill("SIGTERM");
      expect(await first?.exit).toBe(0);
      await importPrice(12);
      await untilReceived(40);
      isOver = true;
      await load;
      await receiver.close();
      expect(unexpected()).toEqual([]);
      expect(receiver.received.length).toBeGreaterThanOrEqual(40);
      expect(statuses.get("200")).toBeGreaterThan(20);
    });
  });
});
