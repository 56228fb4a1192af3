import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Product } from "@product-search/types";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

describe("process", async () => {
  // Starting Prism and installing packages take their time on a busy machine.
  vi.setConfig({ testTimeout: 60_000 });

  const root = fileURLToPath(new URL("..", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "mock-"));
  afterAll(() => rm(folder, { recursive: true }));

  function start(command: string, ...args: string[]): ChildProcess {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  }
  /** The base URL that a mock prints once it listens. */
  async function addressOf(child: ChildProcess): Promise<string> {
    let output = "";
    for await (const piece of child.stdout ?? []) {
      output += piece;
      const url = output.match(/http:\S+/)?.[0];
      if (url) return url;
    }
    throw new Error(`The mock did not start: ${output}`);
  }
  const main = join(root, "dist/main.js");
  const startMock = (...args: string[]) => start(process.execPath, main, ...args);

  describe("the command", () => {
    it("runs several times beside itself, each on a port of its own", async () => {
      const urls = await Promise.all([1, 2, 3].map(() => addressOf(startMock("--port", "0"))));
      expect(new Set(urls).size).toBe(3);
      for (const url of urls) expect((await fetch(`${url}/search/trial?q=mug`)).status).toBe(200);
    });

    it.each(["SIGINT", "SIGTERM"] as const)(
      "stops cleanly at %s, also while a connection is open",
      async (signal) => {
        const child = startMock("--port", "0");
        const url = await addressOf(child);
        await (await fetch(`${url}/search/trial?q=mug`)).text();
        child.kill(signal);
        expect(await once(child, "exit")).toEqual([0, null]);
      },
    );

    it("changes a product of a mock that runs, and says so when it cannot", async () => {
      const url = await addressOf(startMock("--port", "0"));
      const { Products } = Object(await (await fetch(`${url}/search/trial?q=lamp`)).json());
      const change = (...args: string[]) => {
        const given = [main, "change", ...args, "--port", new URL(url).port];
        const { status, stdout, stderr } = spawnSync(process.execPath, given, { encoding: "utf8" });
        return { status, said: stdout + stderr };
      };
      const { _id: product, price } = Products[0];
      expect(change(product, "--price", "9.99")).toEqual({
        status: 0,
        said: expect.stringMatching(`^${product}: ${price}, .+ → 9.99, `),
      });
      expect(change(product, "--availability", "out_of_stock").said).toMatch(/→ 9.99, out_of_stock$/m);
      expect(change("none", "--price", "1")).toEqual({
        status: 1,
        said: expect.stringMatching(/^The mock refused: productId: no product/),
      });
      expect(change(product)).toMatchObject({
        status: 1,
        said: expect.stringMatching(/--price or --availability/),
      });
      expect(change(product, "--price", "1", "--host", "127.0.0.2").said).toMatch(/^No mock responds at/);
    });

    it("says so when the port is taken", async () => {
      const { port } = new URL(await addressOf(startMock("--port", "0")));
      const { status, stderr } = spawnSync(process.execPath, [main, "--port", port], { encoding: "utf8" });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^Cannot listen on 127.0.0.1:\d+: .*EADDRINUSE.*Choose another --port\.$/m);
    });

    it.each([["--port", "http"], ["--port", "65536"], ["--colour"], ["extra"]])(
      "refuses %s %s and shows how",
      (...args) => {
        const { status, stderr } = spawnSync(process.execPath, [main, ...args.filter(Boolean)], {
          encoding: "utf8",
        });
        expect(status).toBe(1);
        expect(stderr).toMatch(/--port/);
      },
    );

    it("prints its help, and no warnings", () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, "--help"], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toContain("--port 4010");
    });
  });

  describe("the packed mock", () => {
    it("runs in a folder that holds nothing else, and brings nothing along", async () => {
      const archive = join(folder, "mock.tgz");
      expect(spawnSync("pnpm", ["pack", "--out", archive], { cwd: root }).status).toBe(0);
      await writeFile(join(folder, "package.json"), '{"name": "partner", "private": true}');
      const installing = ["install", "--offline", "--no-audit", "--no-fund", archive];
      const env = { ...process.env, npm_config_cache: join(folder, "cache") };
      const { status, stderr } = spawnSync("npm", installing, { cwd: folder, env, encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining("ERR") });
      const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
      expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@product-search/mock"]);

      const url = await addressOf(
        start(process.execPath, join(folder, "node_modules/.bin/product-search-mock"), "--port", "0"),
      );
      expect((await fetch(`${url}/search/trial?q=mug`)).status).toBe(200);
      expect(spawnSync(join(root, "node_modules/.bin/publint"), ["run", archive, "--strict"]).status).toBe(0);
    });

    it("is readable: its own files are in the bundle under their names, not minified", async () => {
      const files = (await readdir(join(root, "dist"))).filter(
        (name) => name.endsWith(".js") && name !== "prism.js",
      );
      const texts = await Promise.all(files.map((name) => readFile(join(root, "dist", name), "utf8")));
      const bundle = texts.join("");
      const names = (await readdir(join(root, "src"), { recursive: true })).filter(
        (name) => name.endsWith(".ts") && name !== "engine/prism.ts",
      );
      expect(names.filter((name) => !bundle.includes(`\n// src/${name}\n`))).toEqual([]);
      expect(bundle.includes("function choosesResponse({ code, exampleKey, dynamic }) {")).toBe(true);
    });
  });
});

describe("state", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-state-"));
  afterAll(() => rm(folder, { recursive: true }));

  const webhook = { webhookUrl: "https://partner.example/hook", webhookType: "price.alert" };

  describe("a state file", () => {
    it("brings back webhooks, stored responses, images and changed prices", async () => {
      const stateFile = join(folder, "state.json");
      const first = await startMock({ stateFile });
      const before = createCall(first);
      const headers = { "idempotency-key": "k" };
      const created = await before("/webhooks", { body: webhook, headers });
      const { body } = await before<{ Products: Product[] }>("/search/trial?q=lamp");
      const [product] = body.Products;
      await before("/__mock/changes", { body: { productId: product?._id, price: 3.5 } });
      const changed = await before<{ product: Product }>(`/products/${product?._id}`);
      await first.stop();

      const after = createCall(await startMock({ stateFile }));
      expect((await after("/webhooks", { body: webhook, headers })).body).toEqual(created.body);
      expect((await after<{ data: unknown[] }>("/webhooks")).body.data).toHaveLength(1);
      const again = await after<{ product: Product }>(`/products/${product?._id}`);
      // Addresses name the port, which is another one now.
      expect({ ...again.body.product, images: [], url: "" }).toEqual({
        ...changed.body.product,
        images: [],
        url: "",
      });
      const found = await after<{ Products: Product[] }>("/search/trial?q=lamp&priceRange=[3.5,3.5]");
      expect(found.body.Products).toMatchObject([{ _id: product?._id, price: 3.5 }]);
    });

    it("brings back the deliveries of a mock with a seed, whose times are long past", async () => {
      const stateFile = join(folder, "deliveries.json");
      const first = await startMock({ stateFile, seed: 1 });
      const before = createCall(first);
      const { body } = await before<{ data: { id: string } }>("/webhooks", { body: webhook });
      await before(`/webhooks/${body.data.id}/test`, { method: "POST" });
      await first.stop();

      const after = createCall(await startMock({ stateFile }));
      const listed = await after<{ data: unknown[] }>(`/webhooks/${body.data.id}/deliveries`);
      expect(listed.body.data).toHaveLength(1);
    });

    it("is refused when it is none, or was written with another seed", async () => {
      const broken = join(folder, "broken.json");
      await writeFile(broken, '{"version": 1}');
      await expect(startMock({ stateFile: broken })).rejects.toThrow(/is not a state of this mock/);
      const seeded = join(folder, "seeded.json");
      await (await startMock({ stateFile: seeded, seed: 1 })).stop();
      await expect(startMock({ stateFile: seeded, seed: 2 })).rejects.toThrow(/--seed 1/);
    });
  });

  describe("a seed", () => {
    async function run(seed: number) {
      const mock = await startMock({ seed });
      const call = createCall(mock);
      const responses = [
        await call("/webhooks", { body: webhook }),
        await call("/search/trial?q=lamp"),
        await call("/webhooks", { body: webhook }),
        await call("/webhooks"),
      ];
      return JSON.stringify(responses.map(({ body }) => body)).replaceAll(mock.origin, "");
    }

    it("makes identifiers, keys and times repeatable", async () => {
      const [one, same, other] = [await run(7), await run(7), await run(8)];
      expect(same).toBe(one);
      expect(other).not.toBe(one);
    });
  });
});

describe("stock prism", () => {
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  let prism: ChildProcess;
  let baseUrl: string;

  beforeAll(async () => {
    prism = spawn(process.execPath, [main, "--engine", "prism", "--port", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    baseUrl = await addressOf(prism);
  });
  afterAll(async () => {
    prism.kill("SIGKILL");
    await once(prism, "exit");
  });

  /** Reads on after the address: Prism logs each request, and ends when nobody reads that. */
  function addressOf(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on("data", (piece) => {
          output += piece;
          const address = /Prism is listening on (http:\S+)/.exec(output)?.[1];
          if (address) resolve(address);
        });
      }
      child.once("exit", () => reject(new Error(`Prism did not start: ${output}`)));
    });
  }

  it("the stock Prism gives the documented example that is asked for", async () => {
    const response = await fetch(`${baseUrl}/search/trial?q=mug`, { headers: { prefer: "code=429" } });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: "rate_limited" });
  });

  it("the stock Prism responds to malformed JSON, which later versions of its server never do", async () => {
    const response = await fetch(`${baseUrl}/search/brands`, {
      method: "POST",
      headers: { authorization: "Bearer any", "content-type": "application/json" },
      body: '{"query": "nor',
      signal: AbortSignal.timeout(60_000),
    });
    expect(response.status).toBe(400);
  });
});
