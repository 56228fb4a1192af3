import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

const products = 40;

async function command(dataDir: string, ...args: string[]): Promise<string> {
  const { exit, output } = run(args, { DATA_DIR: dataDir });
  if ((await exit) !== 0) throw new Error(`${args.join(" ")}: ${output()}`);
  return output();
}

async function makeStore() {
  const root = makeDataDir();
  onTestFinished(() => removeDataDir(root));
  const dataDir = join(root, "data");
  const feed = join(root, "feed.jsonl");
  writeFileSync(
    feed,
    Array.from({ length: products }, (_, at) => nativeLine(`k${at}`, { price: 5 })).join(""),
  );
  await command(dataDir, "import", feed, "--source", "catalog");
  return { root, dataDir, folder: join(root, "backups") };
}

async function until<Value>(look: () => Value | undefined | Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    await setTimeout(10);
  }
}

const namesIn = (folder: string) => {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
};
const backupsIn = (folder: string) => namesIn(folder).filter((name) => name.startsWith("backup-"));

test("a service writes the backup that is due, tells its age, and it can be restored", async () => {
  const { root, dataDir, folder } = await makeStore();
  const settings = {
    DATA_DIR: dataDir,
    BACKUP_DIR: folder,
    THREADS: "1",
    BACKUP_TIME: "00:00",
    LOG_LEVEL: "warn",
  };
  const service = await serve(settings);
  onTestFinished(() => void service.child.kill("SIGKILL"));
  const [name = ""] = await until(() => (backupsIn(folder).length > 0 ? backupsIn(folder) : undefined));
  const age = await until(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    if (!text.includes('product_search_backups_total{outcome="written"} 1')) return undefined;
    return /^product_search_backup_age_seconds (.*)$/m.exec(text)?.[1];
  });
  expect(Number(age)).toBeGreaterThan(0);
  expect(Number(age)).toBeLessThan(600);
  const [finding] = JSON.parse(await doctor(settings)).filter(
    ({ check }: { check: string }) => check === "backups",
  );
  expect(finding.message).toContain("The newest is of 20");
  service.child.kill("SIGTERM");
  expect(await service.exit).toBe(0);
  // Nothing else is left: not what the check of the backup needed.
  expect(namesIn(folder)).toEqual([name]);
  const restored = JSON.parse(await command(join(root, "restored"), "restore", folder, "--json"));
  expect(restored.products).toBe(products);

  // One that is newer than the last time is enough.
  const again = await serve(settings);
  onTestFinished(() => void again.child.kill("SIGKILL"));
  await until(async () => ((await fetch(`${again.url}/readyz`)).ok ? true : undefined));
  await setTimeout(500);
  expect(namesIn(folder)).toEqual([name]);
});

async function doctor(settings: Record<string, string>): Promise<string> {
  const { exit, output } = run(["doctor", "--json"], { ...settings, PORT: "1" });
  await exit;
  return output();
}

test("a service with a folder that cannot be written to does not start, and names the setting", async () => {
  const root = makeDataDir();
  onTestFinished(() => removeDataDir(root));
  const file = join(root, "file");
  writeFileSync(file, "");
  const { exit, output } = run(["serve"], { DATA_DIR: root, BACKUP_DIR: join(file, "backups"), PORT: "0" });
  expect(await exit).toBe(2);
  expect(output()).toContain(`BACKUP_DIR="${join(file, "backups")}"`);
});
