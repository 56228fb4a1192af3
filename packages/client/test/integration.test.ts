import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClient, type DeepSearchEvent, verifyWebhook, type WebhookEvent } from "../src/index.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAADFBMVEU0Z83///+ZsuXH1fE4gKI6AAAACXBIWXMAAAsTAAALEwEAmpwYAAAAOklEQVQoz2MIRQIMw4MTw8DAYArjBAA5rMgcrtVIHAYmXBwuZA5rE+kcLibi7FmNy6HYOSieG3rxAwASZKc/Ygw9DgAAAABJRU5ErkJggg==",
  "base64",
);

/** A webhook target on loopback: its URL, and the first event that it receives and verifies. */
async function startReceiver() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const received = once(server, "request");
  const event = async (apiKey: string): Promise<WebhookEvent> => {
    const [request, response] = await received;
    const payload = await text(request);
    response.end();
    return verifyWebhook(payload, request.headers, apiKey);
  };
  return { url: `http://127.0.0.1:${port}/hook`, event };
}

const dataDir = mkdtempSync(join(tmpdir(), "client-live-"));
let service: ChildProcess;
let address: { baseUrl: string; token: string };
/** The service with a small sample catalog, so that it is ready soon. */
beforeAll(async () => {
  const main = fileURLToPath(new URL("../../../apps/api/dist/main.js", import.meta.url));
  const { PATH, HOME } = process.env;
  const limits = { TRIAL_RATE_LIMIT: "0", TOKEN_RATE_LIMIT: "0" };
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error", ...limits };
  await promisify(execFile)(process.execPath, [main, "sample", "--products", "120"], { env });
  const child = spawn(process.execPath, [main, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
  service = child;
  let output = "";
  for await (const piece of child.stdout) {
    output += piece;
    const [, baseUrl, token] = /Base URL\s+(\S+)[\s\S]*(pss_\w{36})/.exec(output) ?? [];
    if (baseUrl === undefined || token === undefined) continue;
    address = { baseUrl, token };
    return;
  }
  throw new Error(`The service did not start: ${output}`);
});
afterAll(async () => {
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  await ended;
  rmSync(dataDir, { recursive: true });
});

const newClient = () => createClient({ ...address, timeoutMs: 50_000 });

describe("the service", () => {
  it("searches by text", async () => {
    const { Products } = await newClient().searchTrial({ q: "shirt", priceRange: [0, 1000], sort: "price" });
    expect(Products.length).toBeGreaterThan(0);
    expect(Products.length).toBeLessThanOrEqual(5);
  });

  it("reads all pages of the catalog, with filters and facets", async () => {
    const client = newClient();
    const pages: number[] = [];
    for await (const { page, facets, count } of client.catalogPages({
      q: "shirt",
      minRating: 1,
      count: 5,
      facets: ["brands", "price"],
    })) {
      expect(Object.keys(facets ?? {})).toEqual(expect.arrayContaining(["brands", "price"]));
      expect(count).toBeGreaterThan(0);
      if (pages.push(page) === 3) break;
    }
    expect(pages).toEqual(Array.from(pages, (_, index) => index + 1));
  });

  it("searches by image in one step and in two, and detects objects", async () => {
    const client = newClient();
    const [response, { slug }] = await Promise.all([client.searchByImage(png), client.vectorizeImage(png)]);
    expect(response.Products.concat(response.closest ?? [])).not.toEqual([]);
    expect(await client.searchByImage({ imageId: slug })).toEqual(response);
    expect(await client.detectObjects(new Blob([png]))).toHaveProperty("detectedObjects");
  });

  it("reads all pages of both marketplaces", async () => {
    const client = newClient();
    for (const pages of [client.marketplaceAPages, client.marketplaceBPages]) {
      const positions: number[] = [];
      let total = 0;
      for await (const { Products, count } of pages({ q: "a", count: 5 })) {
        positions.push(...Products.map(({ position }) => position));
        total = count;
        if (positions.length > 20) break;
      }
      expect(positions).toEqual(Array.from(positions, (_, index) => index + 1));
      expect(positions.length).toBeLessThanOrEqual(total);
    }
  });

  it("returns a written answer", async () => {
    const { data } = await newClient().deepSearch({ query: "a shirt under 100" });
    expect(data.aiResponse).not.toBe("");
  });

  it("creates a webhook, receives its event signed, and deletes it", async () => {
    const client = newClient();
    const receiver = await startReceiver();
    const request = { webhookUrl: receiver.url, webhookType: "price.alert" } as const;
    const { data } = await client.createWebhook(request, { idempotencyKey: crypto.randomUUID() });
    const test = await client.testWebhook(data.id);
    expect(test.data.test).toBe(true);
    expect(await receiver.event(data.apiKey)).toMatchObject({ type: "price.alert" });
    expect(await client.listDeliveries(data.id, { limit: 1 })).toHaveProperty("data");
    expect((await client.listWebhooks()).data.map(({ id }) => id)).toContain(data.id);
    expect((await client.rotateWebhookKey(data.id)).data.apiKey).not.toBe(data.apiKey);
    expect((await client.enableWebhook(data.id)).data.disabledAt).toBeNull();
    expect(await client.deleteWebhook(data.id)).toMatchObject({ success: true });
  });

  it("returns the same response for the same idempotency key", async () => {
    const request = { webhookUrl: "https://partner.example/hook", webhookType: "stock.alert" } as const;
    const options = { idempotencyKey: crypto.randomUUID() };
    const [first, second] = [
      await newClient().createWebhook(request, options),
      await newClient().createWebhook(request, options),
    ];
    expect(second).toEqual(first);
  });

  it("returns a written answer as a stream", async () => {
    const client = newClient();
    const { data } = await client.deepSearch({ query: "a shirt under 100" });
    const events: DeepSearchEvent[] = [];
    for await (const event of client.deepSearchStream({ query: "a shirt under 100" })) events.push(event);
    expect(events[0]?.type).toBe("products");
    const done = events.at(-1);
    if (done?.type !== "done") throw new Error("The stream did not end with its result.");
    expect(Object.keys(done.data).sort()).toEqual(Object.keys(data).sort());
    const restart = events.map(({ type }) => type).lastIndexOf("restart");
    const said = events.slice(restart + 1).map((event) => (event.type === "delta" ? event.text : ""));
    expect(said.join("")).toBe(done.data.aiResponse);
  });

  it("throws the error responses of the service", async () => {
    const client = newClient();
    await expect(createClient({ baseUrl: address.baseUrl }).listWebhooks()).rejects.toMatchObject({
      status: 401,
      code: "unauthorized",
    });
    await expect(client.searchBrands({ query: "qqqxxxzzz" })).rejects.toMatchObject({
      code: "brand_not_found",
    });
    await expect(client.deleteWebhook("wh/none")).rejects.toMatchObject({ code: "webhook_not_found" });
  });
});
