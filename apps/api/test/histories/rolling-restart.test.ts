import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";

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
