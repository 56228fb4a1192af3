import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
  serveReady,
} from "../../testing/running-service.ts";

describe("serve", () => {
  let dataDir: string;
  let service: RunningService;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    dataDir = makeDataDir();
    service = await serveReady({ DATA_DIR: dataDir, THREADS: "2", TRIAL_RATE_LIMIT: "0" });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    service.child.kill("SIGKILL");
    await service.exit;
    removeDataDir(dataDir);
  });

  function open(): Socket {
    const socket = connect(service.port, "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    return socket;
  }

  /** Everything that is received until the other side closes. */
  function readAll(socket: Socket): Promise<string> {
    return new Promise((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      socket.on("close", () => resolve(text));
    });
  }

  describe("hostile connections", () => {
    it.each([
      ["no HTTP at all", "hello\r\n\r\n", "400"],
      ["a header that never ends", `GET / HTTP/1.1\r\nx: ${"a".repeat(20_000)}`, "431"],
      [
        "two lengths",
        "POST /api/v1/deep-search HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "400",
      ],
      [
        "a length and chunks",
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        "400",
      ],
    ])("get a response: %s", async (_, bytes, status) => {
      const socket = open();
      const response = readAll(socket);
      socket.write(bytes);
      expect(await response).toContain(`HTTP/1.1 ${status}`);
    });

    it("that close early do not affect others", async () => {
      for (let count = 0; count < 50; count++) {
        open().end(
          "POST /api/v1/deep-search HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
        );
      }
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    });

    it("that are idle by the thousand do not block others", async () => {
      await Promise.all(
        Array.from({ length: 2000 }, () => new Promise((resolve) => open().once("connect", resolve))),
      );
      const response = await fetch(`${service.url}/api/v1/search/marketplace-a?q=x`, {
        signal: AbortSignal.timeout(60_000),
      });
      expect(response.status).toBe(401);
    });
  });

  describe("one port for all threads", () => {
    it("returns the metrics of all threads in one response", async () => {
      const marker = "/api/v1/search/marketplace-b";
      for (let count = 0; count < 40; count++) {
        await fetch(service.url + marker, { headers: { connection: "close" } });
      }
      const counts = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const text = await (
            await fetch(`${service.url}/metrics`, { headers: { connection: "close" } })
          ).text();
          return /product_search_http_requests_total\{operation="searchMarketplaceB",status="401"\} (\d+)/.exec(
            text,
          )?.[1];
        }),
      );
      expect(counts).toEqual(["40", "40", "40", "40"]);
    });
  });

  describe("SIGTERM", () => {
    it("finishes a running request, refuses new ones and exits with 0", async () => {
      const folder = makeDataDir();
      const other = await serve({ DATA_DIR: folder, THREADS: "1" });
      const created = run(["token", "create", "--account", "a", "--scopes", "search", "--json"], {
        DATA_DIR: folder,
      });
      await created.exit;
      const { token } = JSON.parse(created.output());
      const socket = connect(other.port, "127.0.0.1");
      const response = readAll(socket);
      const body = '{"query":""}';
      socket.write(
        `POST /api/v1/deep-search HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      const startedAt = Date.now();
      other.child.kill("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 300));
      socket.write(body);
      expect(await response).toMatch(/^HTTP\/1.1 400/);
      expect(await other.exit).toBe(0);
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      await expect(fetch(`${other.url}/healthz`)).rejects.toThrow();
      removeDataDir(folder);
    });
  });

  describe("a start that fails reports why", () => {
    const start = async (environment: Record<string, string>) => {
      const { exit, output } = run(["serve"], { PORT: "0", ...environment });
      return { code: await exit, output: output() };
    };

    it("when the port is taken", async () => {
      const folder = makeDataDir();
      const { code, output } = await start({ DATA_DIR: folder, PORT: String(service.port) });
      expect(output).toContain(`127.0.0.1:${service.port} is used by another process`);
      expect(code).toBe(1);
      removeDataDir(folder);
    });

    it("when DATA_DIR cannot be written", async () => {
      const folder = makeDataDir();
      writeFileSync(join(folder, "file"), "");
      const { code, output } = await start({ DATA_DIR: join(folder, "file", "data") });
      expect(output).toMatch(/DATA_DIR .* cannot be written/);
      expect(code).toBe(1);
      removeDataDir(folder);
    });

    it("when the database is of a newer release", async () => {
      const folder = makeDataDir();
      const store = new Sqlite.Database(join(folder, "store.sqlite"));
      store.pragma("user_version = 999");
      store.close();
      const { code, output } = await start({ DATA_DIR: folder });
      expect(output).toContain("written by a newer release");
      expect(code).toBe(1);
      removeDataDir(folder);
    });

    it("when a setting is invalid", async () => {
      const { code, output } = await start({ THREADS: "many", CURRENCY: "EURO" });
      expect(output).toMatch(/THREADS="many".*\n.*CURRENCY="EURO"/);
      expect(code).toBe(2);
    });
  });
});

describe("command line", () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  let dataDir: string;
  beforeEach(() => {
    dataDir = makeDataDir();
  });
  afterEach(() => removeDataDir(dataDir));

  const outcome = (...args: string[]) => runCommand(args, { DATA_DIR: dataDir });

  it.each([
    ["an unknown command", ["nothing"]],
    ["an unknown option", ["token", "list", "--nothing"]],
    ["a missing option", ["token", "create"]],
    [
      "options that exclude each other",
      ["token", "create", "--account", "a", "--scopes", "search", "--origins", "https://a.example"],
    ],
    ["a missing argument", ["import", "--source", "catalog"]],
  ])("%s exits with 2", async (_what, args) => {
    const { code, output } = await outcome(...args);
    expect(output).not.toBe("");
    expect(code).toBe(2);
  });

  it("--version prints the versions of the API and of Node", async () => {
    expect(await outcome("--version")).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^product-search, API \d+\.\d+\.\d+, Node 26\.\d+\.\d+ on \w+ \w+\n$/),
    });
  });

  it("tables fit 80 columns", async () => {
    const account = "an account with a rather long name for a table";
    const created = [
      "token",
      "create",
      "--account",
      account,
      "--scopes",
      "search,webhooks",
      "--networks",
      "203.0.113.0/24,2001:db8::/32",
    ];
    expect((await outcome(...created)).code).toBe(0);
    for (const list of [["token", "list"], ["audit"]]) {
      const { output } = await outcome(...list);
      expect(output.split("\n").length).toBeGreaterThan(2);
      for (const line of output.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it("./product-search runs the same command line, from any folder", () => {
    copyFileSync(`${root}/product-search`, join(dataDir, "product-search"));
    const start = () =>
      spawnSync(join(dataDir, "product-search"), ["token", "a b"], { cwd: tmpdir(), encoding: "utf8" });
    expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining("pnpm@12.21.0 install") });
    // In place of Node: what it would run.
    mkdirSync(join(dataDir, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(dataDir, "node_modules/.bin/node"), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });
    expect(start()).toMatchObject({ status: 0, stdout: `${dataDir}/scripts/run.mjs|api|token|a b|` });
  });

  it("./product-search needs no pnpm on the search path", () => {
    const environment = { PATH: "/usr/bin:/bin", HOME: dataDir, DATA_DIR: dataDir };
    const started = spawnSync(`${root}/product-search`, ["--version"], {
      env: environment,
      encoding: "utf8",
    });
    expect(started).toMatchObject({ status: 0, stdout: expect.stringContaining("API") });
  });
});
