import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { composeStores } from "../../src/compose.ts";
import { readConfig } from "../../src/config.ts";
import { inventedMug } from "../doubles/invented-products.ts";
import { drawing } from "../doubles/pictures.ts";
import { startReceiver } from "../doubles/receiver.ts";
import { makeDataDir, type RunningService, removeDataDir, run, serve } from "./running-service.ts";

const count = 24;
const colour = (n: number) => `hsl(${n * 15}, 80%, 45%)`;
const shapes = ["disc", "square", "ring", "bars", "triangle"] as const;
const picture = (n: number) =>
  drawing(shapes[n % 5] ?? "disc", colour(n))
    .png()
    .toBuffer();

let dataDir: string;
let service: RunningService;
let environment: Record<string, string>;
let token: string;
let host: Awaited<ReturnType<typeof startReceiver>>;
let held = true;

beforeAll(async () => {
  dataDir = makeDataDir();
  const pictures = await Promise.all(Array.from({ length: count }, (_, n) => picture(n)));
  host = await startReceiver((response, { path }) => {
    const n = Number(path.slice(1));
    // The second half does not come before the first process is dead.
    if (held && n >= count / 2) return;
    response.writeHead(200).end(pictures[n]);
  });
  environment = { DATA_DIR: dataDir, THREADS: "2", FETCH_ALLOW_NETWORKS: "127.0.0.0/8" };
  const config = readConfig(environment);
  const stores = await composeStores(config);
  await stores.catalogStore.apply(
    Array.from({ length: count }, (_, n) =>
      inventedMug("catalog", n, { name: `product ${n}`, images: [`${host.url}/${n}`] }),
    ),
  );
  await stores.close();
  const made = run(["token", "create", "--account", "tester", "--scopes", "search", "--json"], environment);
  await made.exit;
  token = JSON.parse(made.output()).token;
});
afterAll(async () => {
  service.child.kill("SIGKILL");
  await service.exit;
  await host.close();
  removeDataDir(dataDir);
});

const headers = () => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
const vectorize = async (n: number): Promise<string> => {
  const body = JSON.stringify({ base64String: (await picture(n)).toString("base64") });
  const answer = await fetch(`${service.url}/api/v1/vectorize-image`, {
    method: "POST",
    headers: headers(),
    body,
  });
  return JSON.parse(await answer.text()).slug;
};
const firstFor = async (slug: string): Promise<string | undefined> => {
  const answer = await fetch(`${service.url}/api/v1/search?imageId=${slug}`, { headers: headers() });
  return JSON.parse(await answer.text()).Products?.[0]?.name;
};
const metric = async (state: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`catalog_pictures\\{state="${state}"\\} (\\d+)`).exec(text)?.[1]);
};
const eventually = { timeout: 45_000, interval: 100 };

it("goes on where it was after kill -9, fetching nothing twice, and knows the slugs it gave", async () => {
  service = await serve(environment);
  await vi.waitFor(async () => expect(await metric("described")).toBe(count / 2), eventually);
  const slug = await vectorize(3);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  service.child.kill("SIGKILL");
  await service.exit;

  held = false;
  service = await serve(environment);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  await vi.waitFor(async () => expect(await metric("described")).toBe(count), {
    ...eventually,
    timeout: 60_000,
  });
  for (let n = 0; n < count / 2; n++) {
    expect(
      host.received.filter(({ path }) => path === `/${n}`),
      `picture ${n}`,
    ).toHaveLength(1);
  }
  expect(await vectorize(3)).toBe(slug);
  const last = await vectorize(count - 1);
  await vi.waitFor(async () => expect(await firstFor(last)).toBe(`product ${count - 1}`), eventually);
}, 150_000);

it("answers the same on every thread", async () => {
  const slug = await vectorize(5);
  const answers = await Promise.all(Array.from({ length: 20 }, () => firstFor(slug)));
  expect(new Set(answers)).toEqual(new Set(["product 5"]));
});

it("refuses pictures past what can wait, and answers all others", async () => {
  const big = await drawing("ring", "#208040").resize(1600, 1600).jpeg({ quality: 95 }).toBuffer();
  // What follows the end of a JPEG changes its bytes, hence its slug, and nothing else.
  const bodies = Array.from({ length: 200 }, (_, n) =>
    JSON.stringify({ base64String: Buffer.concat([big, Buffer.from(`${n}`)]).toString("base64") }),
  );
  const answers = await Promise.all(
    bodies.map((body) =>
      fetch(`${service.url}/api/v1/vectorize-image`, { method: "POST", headers: headers(), body }),
    ),
  );
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect([...statuses.keys()].every((status) => status === 200 || status === 503)).toBe(true);
  expect(statuses.get(200)?.length ?? 0).toBeGreaterThan(10);
  expect(statuses.get(503)?.length ?? 0).toBeGreaterThan(10);
  for (const refused of statuses.get(503) ?? []) expect(refused.headers.get("retry-after")).toBe("1");
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
}, 120_000);

it("does not start with a vision model that cannot be loaded, and says why", async () => {
  const missing = run(["serve"], { ...environment, PORT: "0", VISION_MODEL: "/nowhere/clip.onnx" });
  expect(await missing.exit).not.toBe(0);
  expect(missing.output()).toMatch(/clip\.onnx|onnxruntime-node/);
}, 60_000);
