import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { createMessageBus } from "./message-bus.ts";
import { createSupervisor, type Role } from "./supervisor.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/**
 * A thread that counts its starts in shared memory and crashes in the first `crashes` of them. With a code, it fails with it
 * before it is ready.
 */
function supervise(crashes: number, code = "") {
  const folder = mkdtempSync(join(tmpdir(), "supervisor-"));
  folders.push(folder);
  const file = join(folder, "thread.mjs");
  writeFileSync(
    file,
    `import { parentPort, workerData } from "node:worker_threads";
const life = Atomics.add(new Int32Array(workerData.rateMemory), 0, 1);
if ("${code}" && life < ${crashes}) throw Object.assign(new Error("cannot start"), { cause: Object.assign(new Error("full"), { code: "${code}" }) });
parentPort.postMessage({ report: "ready" });
parentPort.on("message", ({ order }) => order && parentPort.close());
if (life < ${crashes}) setTimeout(() => { throw new Error("crash " + life); }, 5);`,
  );
  const lines: string[] = [];
  const rateMemory = new SharedArrayBuffer(64);
  const failures: Error[] = [];
  const supervisor = createSupervisor({
    bus: createMessageBus(),
    config: readConfig({}),
    rateMemory,
    utilizationMemory: new SharedArrayBuffer(4),
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    onFatal: (reason) => void failures.push(reason),
    entry: pathToFileURL(file),
  });
  return { supervisor, lines, failures, lives: () => new Int32Array(rateMemory)[0] ?? 0 };
}

describe("a thread that cannot start", () => {
  it("is started later if the disk is full", async () => {
    const { supervisor, failures, lines, lives } = supervise(2, "SQLITE_FULL");
    await supervisor.startWhenPossible("import");
    await expect.poll(lives, { timeout: 5000 }).toBe(3);
    expect(failures).toEqual([]);
    expect(lines.join("")).toContain("did not start");
    await supervisor.stop(1000);
  });

  it("fails for any other reason", async () => {
    const { supervisor } = supervise(2, "SQLITE_CORRUPT");
    await expect(supervisor.startWhenPossible("import")).rejects.toThrow("cannot start");
    await supervisor.stop(1000);
  });
});

describe("a thread that crashes", () => {
  it("is reported and restarted", async () => {
    const { supervisor, lines, failures, lives } = supervise(1);
    await supervisor.start("http", 0);
    await expect.poll(lives, { timeout: 5000 }).toBe(2);
    expect(lines.join("")).toContain("a thread crashed");
    expect(lines.join("")).toContain("crash 0");
    expect(failures).toEqual([]);
    await supervisor.stop(1000);
  });

  it("again and again ends the service with the reason", async () => {
    const { supervisor, failures } = supervise(1000);
    await supervisor.start("http", 0);
    await expect.poll(() => failures.length, { timeout: 20_000 }).toBe(1);
    expect(failures[0]?.message).toContain("http crashed 6 times");
    await supervisor.stop(1000);
  });

  it.each<Role>(["marketplace", "text-index"])(
    "is restarted forever if searches work without it: %s",
    async (role) => {
      const { supervisor, failures, lives } = supervise(6);
      await supervisor.start(role, 0);
      await expect.poll(lives, { timeout: 50_000 }).toBe(7);
      expect(failures).toEqual([]);
      await supervisor.stop(1000);
    },
  );
});
