import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  commandLine,
  makeDataDir,
  removeDataDir,
  run,
  serve,
  serveReady,
} from "../../testing/running-service.ts";

describe("doctor", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = makeDataDir();
  });
  afterEach(() => removeDataDir(dataDir));

  interface Finding {
    check: string;
    state: string;
    message: string;
    remedy?: string;
  }

  async function findings(environment: Record<string, string>) {
    const { code, output } = await runCommand(["doctor", "--json"], environment);
    const found: Finding[] = JSON.parse(output);
    return { code, stateOf: (check: string) => found.find((one) => one.check === check)?.state, found };
  }

  it("finds nothing wrong in a new folder, and says how to go on", async () => {
    const { code, found, stateOf } = await findings({
      DATA_DIR: join(dataDir, "new"),
      PORT: String(await freePort()),
    });
    expect(code).toBe(0);
    expect(stateOf("settings")).toBe("ok");
    expect(stateOf("store")).toBe("warning");
    expect(found.filter(({ state }) => state !== "ok").every(({ remedy }) => remedy !== undefined)).toBe(
      true,
    );
  });

  it("names a setting that cannot be read, and exits with 1", async () => {
    const { code, found } = await findings({ DATA_DIR: dataDir, PORT: "many" });
    expect(code).toBe(1);
    expect(found.at(-1)).toMatchObject({ check: "settings", state: "problem" });
    expect(found.at(-1)?.message).toContain("PORT");
  });

  it("looks into the store, and finds another program on the port", async () => {
    const create = ["token", "create", "--account", "acme", "--scopes", "search"];
    expect((await runCommand(create, { DATA_DIR: dataDir })).code).toBe(0);
    const other = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const { code, stateOf, found } = await findings({ DATA_DIR: dataDir, PORT: String(port) });
      expect(code).toBe(1);
      expect(found.find(({ check }) => check === "service")).toMatchObject({ state: "problem" });
      expect([stateOf("database"), stateOf("tokens"), stateOf("clock"), stateOf("products")]).toEqual([
        "ok",
        "ok",
        "ok",
        "warning",
      ]);
    } finally {
      other.close();
    }
  });

  it("names the languages of the products, as the service does, and those that are set", async () => {
    const feed = join(dataDir, "feed.csv");
    const names = [
      "Vestido de niña",
      "Falda para mujer",
      "Camiseta de algodón",
      "Silla de madera",
      "Mesa con cajón",
    ];
    writeFileSync(
      feed,
      `id,title,price,link\n${names.map((name, at) => `k${at},${name},1,https://shop.example/${at}`).join("\n")}`,
    );
    const service = await serveReady({ DATA_DIR: dataDir });
    const shown = async () => JSON.parse(await (await fetch(`${service.url}/readyz`)).text()).languages;
    expect(await shown()).toEqual(["en"]);
    const args = ["import", feed, "--source", "catalog", "--store", "Tienda"];
    expect((await runCommand(args, { DATA_DIR: dataDir })).code).toBe(0);
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["es"]);
    service.child.kill();
    await service.exit;
    const languages = async (environment: Record<string, string>) =>
      (await findings({ DATA_DIR: dataDir, PORT: String(await freePort()), ...environment })).found.find(
        ({ check }) => check === "languages",
      )?.message;
    expect(await languages({})).toBe("es, by the texts of the products.");
    expect(await languages({ LANGUAGES: "de,en" })).toBe("de, en, by LANGUAGES.");
  });

  it("names attributes that are no facets, as the import does", async () => {
    const feed = join(dataDir, "feed.jsonl");
    const rows = Array.from({ length: 300 }, (_, at) => ({
      ...{ _id: `k${at}`, name: `Mug ${at}`, price: 5, url: `https://shop.example/${at}` },
      attributes: { finish: "glazed", [`first ${at}`]: "x", [`second ${at}`]: "y" },
    }));
    writeFileSync(feed, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) };
    const imported = await runCommand(["import", feed, "--source", "catalog"], environment);
    expect(imported.code).toBe(0);
    expect(imported.output).toContain("101 attribute names are no filters and no facets");
    const { found } = await findings(environment);
    expect(found.find(({ check }) => check === "attributes")).toMatchObject({
      state: "warning",
      message: expect.stringMatching(/^catalog: 101 attribute names are no filters .*: "second \d+"/),
    });
  });

  it("finds the service of DATA_DIR on another port than that of its own environment, and no trace once it has ended", async () => {
    const port = await freePort();
    const environment = { DATA_DIR: dataDir, PORT: String(port) };
    const service = await serveReady({ DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "silent" });
    try {
      const { found } = await findings(environment);
      expect(found.find(({ check }) => check === "service")?.message).toContain(
        `Ready on port ${service.port}`,
      );
    } finally {
      service.child.kill("SIGKILL");
      await service.exit;
    }
    // Killed, it leaves its note, which nobody believes.
    const killed = await findings(environment);
    expect(killed.found.find(({ check }) => check === "service")?.message).toContain(`port ${port} is free`);
  });
});

describe("start checks", () => {
  const newKey = () => randomBytes(32).toString("base64");

  let dataDir: string;
  beforeEach(() => {
    dataDir = makeDataDir();
  });
  afterEach(() => removeDataDir(dataDir));

  async function commandOutput(args: readonly string[], environment: Record<string, string> = {}) {
    const settings = { DATA_DIR: dataDir, ...environment };
    if (args[0] !== "serve" && args[0] !== "start") return runCommand(args, settings);
    const { exit, output } = run(args, settings);
    return { code: await exit, output: output() };
  }

  /** Makes no key. */
  const createStore = () => commandOutput(["token", "create", "--account", "acme", "--scopes", "search"]);

  describe("another SECRET_KEY", () => {
    it("is refused before anything is served, until it is accepted", async () => {
      const [former, present] = [newKey(), newKey()];
      const environment = { DATA_DIR: dataDir, THREADS: "1", PORT: "0" };
      const first = await serve({ ...environment, SECRET_KEY: former });
      first.child.kill("SIGTERM");
      await first.exit;

      const refused = await commandOutput(["serve"], { ...environment, SECRET_KEY: present });
      expect(refused.code).toBe(1);
      expect(refused.output).toMatch(/^SECRET_KEY is not the key .*\n$/);

      const accepted = await commandOutput(["secret-key", "accept", "--json"], { SECRET_KEY: present });
      expect(JSON.parse(accepted.output)).toEqual({ unreadableWebhooks: [] });
      const second = await serve({ ...environment, SECRET_KEY: present });
      second.child.kill("SIGTERM");
      await second.exit;
    });

    it("does not affect a command that needs no key, which creates no key file either", async () => {
      expect((await createStore()).code).toBe(0);
      const first = await serve({ DATA_DIR: dataDir, THREADS: "1", SECRET_KEY: newKey() });
      first.child.kill("SIGKILL");
      await first.exit;
      const { output } = await commandOutput(["dead-letters", "list", "--json"]);
      expect(JSON.parse(output)).toEqual([]);
      expect((await commandOutput(["serve"], { PORT: "0" })).output).toMatch(/secret\.key is missing/);
    });
  });

  describe("secret-key rotate", () => {
    it("replaces the key file beside a running service, and goes on after an interruption", async () => {
      const environment = { DATA_DIR: dataDir, THREADS: "1", PORT: "0" };
      const file = join(dataDir, "secret.key");
      const service = await serve(environment);
      const former = readFileSync(file, "utf8");
      const killed = run(["secret-key", "rotate"], { DATA_DIR: dataDir });
      await expect.poll(() => readFileSync(file, "utf8"), { timeout: 60_000, interval: 20 }).not.toBe(former);
      killed.child.kill("SIGKILL");
      await killed.exit;
      expect(readFileSync(file, "utf8").split("\n")).toContain(former.trim());
      const { code, output } = await commandOutput(["secret-key", "rotate", "--json"]);
      expect(code).toBe(0);
      // The check value; others are made when they are first needed.
      expect(JSON.parse(output)).toEqual({ rewritten: expect.any(Number), unreadable: 0 });
      const present = readFileSync(file, "utf8");
      expect(present.trim()).toMatch(/^[\w+/]{43}=$/);
      expect(present).not.toBe(former);
      service.child.kill("SIGTERM");
      await service.exit;
      const again = await serve(environment);
      again.child.kill("SIGTERM");
      await again.exit;
    });

    it("needs two keys in SECRET_KEY", async () => {
      const { code, output } = await commandOutput(["secret-key", "rotate"], { SECRET_KEY: newKey() });
      expect(code).toBe(2);
      expect(output).toMatch(/SECRET_KEY: has one key/);
    });
  });

  describe("a damaged database", () => {
    it.each(["serve", "start"])(
      "is refused by %s: which file, what is wrong, what to do",
      async (command) => {
        writeFileSync(join(dataDir, "store.sqlite"), "no database ".repeat(1000));
        const { code, output } = await commandOutput([command], { PORT: "0", THREADS: "1" });
        expect(code).toBe(1);
        expect(output).toMatch(/^The database \S+store\.sqlite is not a SQLite database.*backup.*\n$/);
        expect(output).not.toContain("Serving");
      },
    );
  });

  it("too few open files are refused before anything is served, with the remedy", async () => {
    const shell = `ulimit -n 200 && exec "${process.execPath}" "${commandLine}" serve`;
    const environment = { PATH: process.env.PATH ?? "", DATA_DIR: dataDir, PORT: "0", THREADS: "2" };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", shell], { env: environment, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(
      /^This process may open only \d+ more files; .*needs 376.*ulimit -n 4096.*\n$/,
    );
  });

  describe("dead-letters retry", () => {
    it("requires identifiers or --all, and reports an invalid identifier", async () => {
      await createStore();
      expect(await commandOutput(["dead-letters", "retry"])).toMatchObject({
        code: 2,
        output: expect.stringMatching(/or pass --all/),
      });
      expect(await commandOutput(["dead-letters", "retry", "dead_1", "--json"])).toMatchObject({
        code: 1,
        output: '[{"id":"dead_1","outcome":"absent"}]\n',
      });
      expect(await commandOutput(["dead-letters", "retry", "--all"])).toMatchObject({
        code: 0,
        output: "No dead letters.\n",
      });
    });
  });
});
