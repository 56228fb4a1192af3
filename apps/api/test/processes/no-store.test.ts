import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { commands } from "../../src/cli/command-line.ts";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, serve } from "../../testing/running-service.ts";

/** Commands that only read a store, or only change what is in it, with arguments that they accept. */
const onExisting: Record<string, readonly string[]> = {
  audit: [],
  "dead-letters list": [],
  "dead-letters retry": ["--all"],
  export: ["--format", "jsonl"],
  feeds: [],
  insights: [],
  "people list": [],
  "people revoke": ["ada"],
  "products delete": ["5f2c1a9e0b7d4c3a8e6f1b20"],
  "rules list": [],
  "rules remove": ["rule_5kPz1cX2mQ8rT4vN"],
  "rules test": ["red couch"],
  "secret-key accept": [],
  "secret-key rotate": [],
  currency: [],
  "synonyms list": [],
  "synonyms test": ["red couch"],
  "token list": [],
  "token revoke": ["0b9f5f0e"],
  "webhooks list": [],
  "webhooks deliveries": ["wh_5kPz1cX2mQ8rT4vN"],
  "webhooks trigger": ["price.alert"],
  "webhooks replay": ["wh_5kPz1cX2mQ8rT4vN", "dl_7Hn3bY6wK9sD2fJq"],
};

/** They have their own message for a missing store. */
const checkedElsewhere = ["backup", "doctor", "migrate-store"];
const creating = [
  ...["import", "invite", "restore", "sample", "serve", "start", "token create"],
  ...["rules add", "rules import"],
  ...["synonyms add", "synonyms import", "synonyms remove"],
];
/** `marketplace try` opens the store, to count the request, only if the service uses the profile. */
const withoutStore = ["marketplace try", "webhooks listen"];

function leaves(command: Command, path: readonly string[] = []): string[] {
  const own = [...path, command.name()];
  return command.commands.length === 0
    ? [own.join(" ")]
    : command.commands.flatMap((one) => leaves(one, own));
}

let folder: string;
beforeEach(() => {
  folder = makeDataDir();
});
afterEach(() => removeDataDir(folder));

it("every command is known to need a store, to create one, or to use none", async () => {
  const modules = await Promise.all(Object.values(commands).map((load) => load()));
  expect(modules.flatMap(({ command }) => leaves(command)).sort()).toEqual(
    [...Object.keys(onExisting), ...checkedElsewhere, ...creating, ...withoutStore].sort(),
  );
});

describe.each(Object.entries(onExisting))("%s", (name, args) => {
  it("says that there is no store, and creates none", async () => {
    const missing = join(folder, "wrong", "data");
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const unfinished = join(folder, "unfinished");
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, "store.sqlite"), "");
    const file = join(folder, "file");
    writeFileSync(file, "text");
    for (const [index, dataDir] of [missing, empty, unfinished, file].entries()) {
      const json = index % 2 === 0 ? [] : ["--json"];
      const { code, output } = await runCommand([...name.split(" "), ...args, ...json], {
        DATA_DIR: dataDir,
      });
      expect(output).toContain(`There is no store in DATA_DIR "${dataDir}"`);
      expect(output).toContain("set DATA_DIR to the folder of the service");
      expect(output.trim().split("\n")).toHaveLength(1);
      expect(code).toBe(1);
    }
    expect(existsSync(join(folder, "wrong"))).toBe(false);
    expect(readdirSync(empty)).toEqual([]);
    expect(readdirSync(unfinished)).toEqual(["store.sqlite"]);
  });
});

it("beside a running service, commands that read the store of the service work", async () => {
  const environment = { DATA_DIR: folder, THREADS: "1", LOG_LEVEL: "silent" };
  const service = await serve(environment);
  try {
    for (const name of [
      "audit",
      "dead-letters list",
      "feeds",
      "synonyms list",
      "token list",
      "webhooks list",
    ]) {
      const { code, output } = await runCommand([...name.split(" "), "--json"], environment);
      expect({ name, code, output }).toMatchObject({ code: 0 });
      expect(() => JSON.parse(output), name).not.toThrow();
    }
  } finally {
    service.child.kill("SIGTERM");
    await service.exit;
  }
});

describeOnPostgres("with PostgreSQL", () => {
  it("a database without the tables is no store either, and nothing is left on this machine", async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: join(folder, "none"),
      SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
    };
    for (const _ of ["first", "again"]) {
      const { code, output } = await runCommand(["token", "list"], environment);
      expect(output).toMatch(/^There is no store in the database \S+, and .* set DATABASE_URL/);
      expect(code).toBe(1);
    }
    expect((await runCommand(["doctor"], environment)).code).toBe(0);
    const { code, output } = await runCommand(["token", "list", "--json"], environment);
    expect({ code, output }).toEqual({ code: 0, output: "[]\n" });
    expect(existsSync(join(folder, "none"))).toBe(false);
  });
});
