import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { commandLine, makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

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
  it.each(["serve", "start"])("is refused by %s: which file, what is wrong, what to do", async (command) => {
    writeFileSync(join(dataDir, "store.sqlite"), "no database ".repeat(1000));
    const { code, output } = await commandOutput([command], { PORT: "0", THREADS: "1" });
    expect(code).toBe(1);
    expect(output).toMatch(/^The database \S+store\.sqlite is not a SQLite database.*backup.*\n$/);
    expect(output).not.toContain("Serving");
  });
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
