import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serveReady,
} from "../../testing/running-service.ts";

const dataDir = makeDataDir();
let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await serveReady({
    DATA_DIR: dataDir,
    THREADS: "1",
    LOG_LEVEL: "trace",
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  const args = ["token", "create", "--account", "acme", "--scopes", "search,webhooks", "--json"];
  const creating = run(args, { DATA_DIR: dataDir });
  await creating.exit;
  token = JSON.parse(creating.output()).token;
});
afterAll(async () => {
  service.child.kill("SIGKILL");
  await service.exit;
  removeDataDir(dataDir);
});

function send(path: string, body?: string | null, authorization = `Bearer ${token}`): Promise<Response> {
  const type = body ? { "content-type": "application/json" } : {};
  const headers = { authorization, ...type };
  const request = body === undefined ? { headers } : { method: "POST", headers, body };
  return fetch(`${service.url}${path}`, request);
}

it("no token, key, image, query text or target is logged, even at the level trace", async () => {
  const image = Buffer.from("image-bytes-that-are-no-image").toString("base64");
  const target = "http://127.0.0.1:9001/receive?key=target-secret";
  const creation = JSON.stringify({ webhookUrl: target, webhookType: "price.alert" });
  const created = await (await send("/api/v1/webhooks", creation)).text();
  const { data }: { data: { id: string; apiKey: string } } = JSON.parse(created);
  const webhook = `/api/v1/webhooks/${data.id}`;
  const requests: [path: string, body?: string | null, authorization?: string][] = [
    ["/api/v1/search/trial?q=query-words"],
    ["/api/v1/search/marketplace-a?q=query-words&nonsense=query-words"],
    ["/api/v1/deep-search", JSON.stringify({ query: "query-words" })],
    ["/api/v1/search/brands", '{"query": "query-words"'],
    ["/api/v1/search/brands", '{"query": "a"}', "Bearer pss_guessed-token"],
    ["/api/v1/vectorize-image", JSON.stringify({ base64String: image })],
    [`${webhook}/test`, null],
    [`${webhook}/rotate-key`, null],
    ["/api/v1/nowhere?q=query-words"],
  ];
  const statuses: number[] = [];
  for (const [path, body, authorization] of requests) {
    statuses.push((await send(path, body, authorization)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([200, 400, 401, 404]));
  const secretKey = readFileSync(join(dataDir, "secret.key"), "utf8").trim();
  expect(data.apiKey).toMatch(/^whsec_/);
  await expect.poll(service.output).toContain('"operation":"other"');
  for (const secret of [
    token,
    "guessed-token",
    data.apiKey,
    secretKey,
    image,
    "query-words",
    "target-secret",
  ]) {
    expect(service.output()).not.toContain(secret);
  }
});

it("the key file can be read by its owner only", () => {
  expect(statSync(join(dataDir, "secret.key")).mode & 0o077).toBe(0);
});
