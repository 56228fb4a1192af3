import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, serveReady } from "../../testing/running-service.ts";

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
  expect(found.filter(({ state }) => state !== "ok").every(({ remedy }) => remedy !== undefined)).toBe(true);
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
