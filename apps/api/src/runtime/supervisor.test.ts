import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { afterEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import { createMessageBus } from "./message-bus.ts";
import { createSupervisor, type Part, type Role } from "./supervisor.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/**
 * A thread that counts its starts in shared memory and crashes in the first `crashes` of them, before or after it is ready.
 * It takes `loadingMs` until it can be called.
 */
function supervise(crashes: number, when: "before" | "after" = "after", firstPauseMs = 5, loadingMs = 0) {
  const folder = mkdtempSync(join(tmpdir(), "supervisor-"));
  folders.push(folder);
  const file = join(folder, "thread.mjs");
  writeFileSync(
    file,
    `import { parentPort, workerData } from "node:worker_threads";
const life = Atomics.add(new Int32Array(workerData.rateMemory), 0, 1);
if ("${when}" === "before" && life < ${crashes}) throw new Error("cannot start");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${loadingMs});
const send = (message) => parentPort.postMessage({ part: workerData.parts[0], message });
if (workerData.role === "vision") {
  send({ kind: "join" });
  send({ kind: "serve", service: "describeImage" });
}
parentPort.on("message", ({ order, message }) => {
  if (order) parentPort.close();
  if (message?.kind === "call") send({ kind: "reply", id: message.id, output: workerData.number });
  if (message?.kind === "failure") throw new Error("crash " + life);
});
parentPort.postMessage({ report: "ready" });
// An error may overtake a message: when this call fails, the supervisor has read that the thread is ready.
if (life < ${crashes}) send({ kind: "call", id: 1, service: "of nobody", input: null });`,
  );
  const lines: string[] = [];
  const rateMemory = new SharedArrayBuffer(64);
  const failures: Error[] = [];
  const bus = createMessageBus();
  const supervisor = createSupervisor({
    bus,
    config: readConfig({}),
    rateMemory,
    utilizationMemory: new SharedArrayBuffer(4),
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    onFatal: (reason) => void failures.push(reason),
    entry: pathToFileURL(file),
    firstPauseMs,
  });
  const describeImage = () =>
    bus.client.call("describeImage", { bytes: new Uint8Array() }, { timeoutMs: 5000 });
  return { supervisor, lines, failures, describeImage, lives: () => new Int32Array(rateMemory)[0] ?? 0 };
}

test("a thread that cannot start is an error", async () => {
  const { supervisor } = supervise(2, "before");
  await expect(supervisor.start("heavy", 0, ["import"])).rejects.toThrow("cannot start");
  await supervisor.stop(1000);
});

describe("threads on demand", () => {
  const settings = { services: ["describeImage"], maxThreads: 2, idleMs: 100 };

  it("start with a call, end when they are idle, and start with the next call", async () => {
    const { supervisor, describeImage, lives, lines } = supervise(0);
    supervisor.startOnDemand("vision", settings);
    await setTimeout(20);
    expect(lives()).toBe(0);
    expect(await describeImage()).toBe(0);
    await setTimeout(500);
    expect(lives()).toBe(1);
    expect(await describeImage()).toBe(0);
    expect(lives()).toBe(2);
    expect(lines).toEqual([]);
    await supervisor.stop(1000);
  });

  it("fail their callers at once when they cannot start, and start later", async () => {
    const { supervisor, describeImage, lives } = supervise(1, "before", 100);
    supervisor.startOnDemand("vision", settings);
    await expect(describeImage()).rejects.toMatchObject({ code: "unavailable" });
    await expect(describeImage()).rejects.toMatchObject({ code: "unavailable" });
    expect(lives()).toBe(1);
    await setTimeout(300);
    expect(await describeImage()).toBe(0);
    await supervisor.stop(1000);
  });

  it("start again with the next call after a crash", async () => {
    const { supervisor, describeImage, lives, lines } = supervise(1);
    supervisor.startOnDemand("vision", { ...settings, idleMs: 5000 });
    expect(await describeImage()).toBe(0);
    await expect.poll(() => lines.join(""), { timeout: 60_000 }).toContain("a thread crashed");
    // Until the crashed thread has ended, and for the pause after it, callers fail at once.
    await expect.poll(() => describeImage().catch(() => undefined), { timeout: 60_000 }).toBe(0);
    expect(lives()).toBe(2);
    await supervisor.stop(1000);
  });

  it("start again after a crash, also when the clock was set back meanwhile", async () => {
    const { supervisor, describeImage } = supervise(1, "before", 100);
    supervisor.startOnDemand("vision", settings);
    await expect(describeImage()).rejects.toMatchObject({ code: "unavailable" });
    const hourAgo = Date.now() - 3_600_000;
    const clock = vi.spyOn(Date, "now").mockReturnValue(hourAgo);
    onTestFinished(() => clock.mockRestore());
    await setTimeout(300);
    expect(await describeImage()).toBe(0);
    await supervisor.stop(1000);
  });

  it("are not idle while they load", async () => {
    const { supervisor, describeImage, lives } = supervise(0, "after", 5, 400);
    supervisor.startOnDemand("vision", settings);
    expect(await describeImage()).toBe(0);
    expect(lives()).toBe(1);
    await supervisor.stop(1000);
  });

  it("can be started before any call", async () => {
    const { supervisor, lives } = supervise(0);
    await supervisor.startOnDemand("vision", settings)();
    expect(lives()).toBe(1);
    await supervisor.stop(1000);
  });
});

describe("a thread that crashes", () => {
  it("is reported and restarted", async () => {
    const { supervisor, lines, failures, lives } = supervise(1);
    await supervisor.start("http", 0, ["http"]);
    await expect.poll(lives, { timeout: 60_000 }).toBe(2);
    expect(lines.join("")).toContain("a thread crashed");
    expect(lines.join("")).toContain("crash 0");
    expect(failures).toEqual([]);
    await supervisor.stop(1000);
  });

  it("again and again ends the service with the reason", async () => {
    const { supervisor, failures } = supervise(1000);
    await supervisor.start("http", 0, ["http"]);
    await expect.poll(() => failures.length, { timeout: 60_000 }).toBe(1);
    expect(failures[0]?.message).toContain("http crashed 6 times");
    await supervisor.stop(1000);
  });

  it.each<[Role, Part]>([
    ["waiting", "marketplace-a"],
    ["heavy", "text-index"],
  ])("is restarted forever if searches work without it: %s", async (role, part) => {
    const { supervisor, failures, lives } = supervise(6);
    await supervisor.start(role, 0, [part]);
    await expect.poll(lives, { timeout: 50_000 }).toBe(7);
    expect(failures).toEqual([]);
    await supervisor.stop(1000);
  });
});
