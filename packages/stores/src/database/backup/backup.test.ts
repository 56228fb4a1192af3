import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteCatalogStore } from "../../catalog-store/sqlite.ts";
import { assertSecretKey, storeKey } from "../../secret-box/stored-check.ts";
import { type OpenDatabase, openDatabase } from "../open.ts";
import { createOutbox } from "../outbox.ts";
import { type RestoreSettings, removeOldBackups, restoreBackup, writeBackup } from "./write-backup.ts";

const startMs = Date.UTC(2026, 0, 1);
const key = Buffer.alloc(32, 1).toString("base64");
const otherKey = Buffer.alloc(32, 2).toString("base64");

let root: string;
let dataDir: string;
let folder: string;
let database: OpenDatabase | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "backup-"));
  dataDir = join(root, "data");
  folder = join(root, "backups");
});
afterEach(async () => {
  await closeDatabase();
  await rm(root, { recursive: true });
});

async function closeDatabase() {
  await database?.close();
  database = undefined;
}

async function open(secretKey?: string): Promise<OpenDatabase> {
  database = await openDatabase(dataDir);
  await assertSecretKey({ db: database.db, dataDir, secretKey });
  return database;
}

async function addProducts(...keys: string[]) {
  const { connection } = database ?? (await open());
  const outbox = createOutbox(connection, { publicUrl: "http://service.test", currency: "USD" });
  const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
  await store.apply(keys.map((one) => productInput(one)));
}

const write = (atMs = startMs, secretKey?: string) =>
  writeBackup({ dataDir, folder, atMs, key: storeKey({ dataDir, secretKey }) });
type Wanted = Partial<RestoreSettings & { secretKey: string }>;
const restore = ({ secretKey, ...settings }: Wanted = {}) =>
  restoreBackup({
    dataDir,
    folder,
    atMs: startMs,
    key: storeKey({ dataDir, secretKey }),
    force: false,
    ...settings,
  });
const keysNow = async () => {
  const { connection, close } = await openDatabase(dataDir);
  const keys = connection.prepare("select key from products order by key").pluck().all();
  await close();
  return keys;
};

describe("a backup", () => {
  test("can be made while the database is open, and restores its data", async () => {
    await addProducts("a", "b");
    const written = await write();
    expect(written).toMatchObject({ products: 2, secretKey: "file", createdAt: "2026-01-01T00:00:00.000Z" });
    expect(readdirSync(written.path).toSorted()).toEqual(["manifest.json", "secret.key", "store.sqlite"]);
    await addProducts("c");
    const keyNow = readFileSync(join(dataDir, "secret.key"), "utf8");
    await closeDatabase();
    writeFileSync(join(dataDir, "secret.key"), "another key");
    for (const derived of ["text-index", "vectors"]) mkdirSync(join(dataDir, derived));

    const { formerFiles = "" } = await restore();
    expect(await keysNow()).toEqual(["a", "b"]);
    expect(readFileSync(join(dataDir, "secret.key"), "utf8")).toBe(keyNow);
    expect(existsSync(join(dataDir, "text-index"))).toBe(false);
    expect(existsSync(join(dataDir, "vectors"))).toBe(false);
    expect(readFileSync(join(formerFiles, "secret.key"), "utf8")).toBe("another key");
    dataDir = formerFiles;
    expect(await keysNow()).toEqual(["a", "b", "c"]);
  });

  test("can be restored into an empty folder", async () => {
    await addProducts("a");
    await write();
    await closeDatabase();
    dataDir = join(root, "other");
    expect((await restore()).formerFiles).toBeUndefined();
    expect(await keysNow()).toEqual(["a"]);
  });

  test("is the newest of a folder, or the named one", async () => {
    await addProducts("a");
    const first = await write(startMs);
    await addProducts("b");
    await write(startMs + 1000);
    await closeDatabase();
    await restore();
    expect(await keysNow()).toEqual(["a", "b"]);
    await restore({ folder: first.path, atMs: startMs + 1 });
    expect(await keysNow()).toEqual(["a"]);
  });

  test("is not made of a damaged database, and then leaves no files", async () => {
    await addProducts("a");
    await closeDatabase();
    const file = join(dataDir, "store.sqlite");
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4096, 5 * 4096));
    await expect(write()).rejects.toThrow("is damaged");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is not made with a key that cannot decrypt the secrets", async () => {
    await open(key);
    await expect(write(startMs, otherKey)).rejects.toThrow("does not open the secrets");
    expect(await write(startMs, key)).toMatchObject({ secretKey: "environment" });
  });

  test("reports that there is no database", async () => {
    await expect(write()).rejects.toThrow("There is no database");
  });
});

describe("old backups", () => {
  test("are removed, as are files that interrupted commands left a day ago", async () => {
    await addProducts("a");
    const written = [];
    for (const at of [0, 1, 2]) written.push((await write(startMs + at * 1000)).path);
    const stale = join(folder, ".unfinished-x");
    mkdirSync(stale);
    mkdirSync(join(folder, ".unfinished-running"));
    mkdirSync(join(folder, "unrelated"));
    const nowMs = Date.now();
    utimesSync(stale, 0, (nowMs - 25 * 3600 * 1000) / 1000);
    expect(await removeOldBackups(folder, 2, nowMs)).toEqual([written[0]]);
    expect(readdirSync(folder).toSorted()).toEqual(
      [
        ".unfinished-running",
        ...written.slice(1).map((path) => path.slice(folder.length + 1)),
        "unrelated",
      ].toSorted(),
    );
  });
});

describe("a restore changes nothing when", () => {
  const refused = async (message: string, settings: Wanted = {}) => {
    const before = readdirSync(dataDir);
    await expect(restore(settings)).rejects.toThrow(message);
    expect(readdirSync(dataDir).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(
      before.filter((name) => !/-(wal|shm)$/.test(name)),
    );
  };

  test("the backup is damaged", async () => {
    await addProducts("a");
    const { path } = await write();
    await closeDatabase();
    const bytes = readFileSync(join(path, "store.sqlite"));
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(join(path, "store.sqlite"), bytes);
    await refused("does not have the checksum");
    await rm(join(path, "store.sqlite"));
    await refused("is incomplete");
    writeFileSync(join(path, "manifest.json"), "{");
    await refused("cannot be read");
    await refused("There is no backup in", { folder: root });
  });

  test("the database is in use", async () => {
    await addProducts("a");
    await write();
    await refused("is in use");
    await refused("is in use", { force: true });
    await closeDatabase();
    await restore();
  });

  test("the current database is damaged, unless --force is given", async () => {
    await addProducts("a");
    await write();
    await closeDatabase();
    writeFileSync(join(dataDir, "store.sqlite"), "what a broken disk left");
    await refused("pass --force");
    await restore({ force: true });
    expect(await keysNow()).toEqual(["a"]);
  });

  test("the backup is of a newer release", async () => {
    await open();
    const { path } = await write();
    await closeDatabase();
    const file = join(path, "manifest.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), schemaVersion: 999 }));
    await refused("was made by a newer release");
  });

  test("it is made by an older release: it makes no backup that it could not restore", async () => {
    const { connection } = await open();
    connection.pragma("user_version = 999");
    await expect(write()).rejects.toThrow("was made by a newer release");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("the key is missing or different", async () => {
    await open(key);
    await write(startMs, key);
    await closeDatabase();
    await refused("set SECRET_KEY to it");
    await refused("set it to the key of that time", { secretKey: otherKey });
    await restore({ secretKey: key });
  });
});
