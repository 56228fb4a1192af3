import { ApiError } from "@product-search/core/errors.ts";
import { describe, expect, it } from "vitest";
import { type BusClient, createBusClient, createDirectChannel } from "./bus-client.ts";
import { createMessageBus } from "./message-bus.ts";

function connect(bus: ReturnType<typeof createMessageBus>): { client: BusClient; leave: () => void } {
  const [own, other] = createDirectChannel();
  const client = createBusClient(own);
  return { client, leave: bus.connect(other).disconnect };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const limits = { concurrency: 1, maxWaiting: 1 };

describe("topics", () => {
  it("reach connected threads and threads that connect later", async () => {
    const bus = createMessageBus();
    const early: string[][] = [];
    const late: string[][] = [];
    connect(bus).client.subscribe("missing", (value) => early.push([...value]));
    bus.client.publish("missing", ["a"]);
    await settled();
    connect(bus).client.subscribe("missing", (value) => late.push([...value]));
    bus.client.publish("missing", []);
    await settled();
    expect(early).toEqual([["a"], []]);
    expect(late.at(-1)).toEqual([]);
  });

  it("are not sent to threads that did not subscribe", async () => {
    const bus = createMessageBus();
    const [own, other] = createDirectChannel();
    const seen: string[] = [];
    own.onMessage(({ kind }) => seen.push(kind));
    bus.connect(other);
    bus.client.publish("missing", ["a"]);
    await settled();
    expect(seen).toEqual([]);
    own.send({ kind: "subscribe", topic: "missing" });
    await settled();
    expect(seen).toEqual(["publish"]);
  });
});

describe("services", () => {
  it("reply across threads and pass on errors unchanged", async () => {
    const bus = createMessageBus();
    let fails = false;
    connect(bus).client.serve("metrics", limits, async () => {
      if (fails) throw new ApiError("unavailable", "Later.", { retryAfterSeconds: 7 });
      return "text";
    });
    const { client } = connect(bus);
    await settled();
    await expect(client.call("metrics", null, { timeoutMs: 1000 })).resolves.toBe("text");
    fails = true;
    await expect(client.call("metrics", null, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": "7" },
    });
  });

  it("refuse calls above the maximum number of waiting calls", async () => {
    const bus = createMessageBus();
    const open: (() => void)[] = [];
    bus.client.serve("metrics", limits, () => new Promise((resolve) => open.push(() => resolve("done"))));
    await settled();
    const calls = [1, 2, 3].map(() => bus.client.call("metrics", null, { timeoutMs: 1000 }));
    await expect(calls[2]).rejects.toMatchObject({ code: "unavailable" });
    expect(open).toHaveLength(1);
    open[0]?.();
    await expect(calls[0]).resolves.toBe("done");
    await settled();
    open[1]?.();
    await expect(calls[1]).resolves.toBe("done");
  });

  it("are unavailable if no thread offers them, or it is late or gone", async () => {
    const bus = createMessageBus();
    const unavailable = { code: "unavailable" };
    await expect(bus.client.call("metrics", null, { timeoutMs: 1000 })).rejects.toMatchObject(unavailable);
    const { client, leave } = connect(bus);
    client.serve("metrics", limits, () => new Promise(() => undefined));
    await settled();
    await expect(bus.client.call("metrics", null, { timeoutMs: 10 })).rejects.toMatchObject(unavailable);
    const call = bus.client.call("metrics", null, { timeoutMs: 1000 });
    await settled();
    leave();
    await expect(call).rejects.toMatchObject(unavailable);
  });
});

describe("a call that is cancelled", () => {
  /** A service that counts the calls that it started and finished. */
  function countingService(bus: ReturnType<typeof createMessageBus>) {
    const work = { begun: 0, finished: 0 };
    let finish = () => {};
    const server = connect(bus);
    server.client.serve("metrics", { concurrency: 1, maxWaiting: 10 }, async (_, signal) => {
      work.begun += 1;
      await new Promise<void>((resolve, reject) => {
        finish = resolve;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      work.finished += 1;
      return "done";
    });
    return { work, finish: () => finish(), leave: server.leave };
  }

  it("because the caller aborted: running work stops, waiting work never starts", async () => {
    const bus = createMessageBus();
    const { work, finish } = countingService(bus);
    const { client } = connect(bus);
    await settled();
    const leaving = new AbortController();
    const calls = [1, 2, 3].map(() =>
      client.call("metrics", null, { timeoutMs: 5000, signal: leaving.signal }).catch(() => "left"),
    );
    const staying = client.call("metrics", null, { timeoutMs: 5000 });
    await settled();
    expect(work).toEqual({ begun: 1, finished: 0 });
    leaving.abort();
    expect(await Promise.all(calls)).toEqual(["left", "left", "left"]);
    await settled();
    expect(work).toEqual({ begun: 2, finished: 0 });
    finish();
    expect(await staying).toBe("done");
    expect(work).toEqual({ begun: 2, finished: 1 });
  });

  it("before it was made: it fails at once, and no thread hears of it", async () => {
    const bus = createMessageBus();
    const { work } = countingService(bus);
    const [own, other] = createDirectChannel();
    const client = createBusClient(own);
    const sent: string[] = [];
    other.onMessage(({ kind }) => sent.push(kind));
    bus.connect(other);
    await settled();
    sent.length = 0;
    const closed = new Error("closed");
    for (const signal of [
      AbortSignal.abort(closed),
      AbortSignal.any([AbortSignal.abort(closed), AbortSignal.timeout(5000)]),
    ]) {
      const call = client.call("metrics", null, { timeoutMs: 20, signal }).catch((error: unknown) => error);
      // Far less than the time limit.
      const outcome = await Promise.race([call, Promise.resolve().then(() => settled())]);
      expect(outcome).toMatchObject({ code: "unavailable", cause: closed });
    }
    await settled();
    expect(sent).toEqual([]);
    expect(work).toEqual({ begun: 0, finished: 0 });
  });

  it("because its time limit was reached", async () => {
    const bus = createMessageBus();
    const { work, finish } = countingService(bus);
    const { client } = connect(bus);
    await settled();
    await expect(client.call("metrics", null, { timeoutMs: 10 })).rejects.toMatchObject({
      code: "unavailable",
    });
    await settled();
    const next = client.call("metrics", null, { timeoutMs: 5000 });
    await settled();
    finish();
    expect(await next).toBe("done");
    expect(work).toEqual({ begun: 2, finished: 1 });
  });

  it("because the thread of the caller ended", async () => {
    const bus = createMessageBus();
    const { work, finish } = countingService(bus);
    const { client, leave } = connect(bus);
    await settled();
    client.call("metrics", null, { timeoutMs: 5000 }).catch(() => {});
    await settled();
    leave();
    await settled();
    const next = bus.client.call("metrics", null, { timeoutMs: 5000 });
    await settled();
    finish();
    expect(await next).toBe("done");
    expect(work).toEqual({ begun: 2, finished: 1 });
  });
});

describe("services on demand", () => {
  const call = (bus: ReturnType<typeof createMessageBus>, signal?: AbortSignal) =>
    bus.client.call("metrics", null, { timeoutMs: 1000, ...(signal && { signal }) });

  it("let calls wait until a thread has started, and no longer than their callers do", async () => {
    const bus = createMessageBus();
    let needed = 0;
    bus.serveOnDemand(["metrics"], () => {
      needed += 1;
    });
    const leaving = new AbortController();
    const left = call(bus, leaving.signal).catch(() => "left");
    const first = call(bus);
    await settled();
    expect(needed).toBe(2);
    leaving.abort();
    expect(await left).toBe("left");
    let runs = 0;
    connect(bus).client.serve("metrics", limits, async () => `run ${++runs}`);
    expect(await first).toBe("run 1");
    expect(await call(bus)).toBe("run 2");
    expect(needed).toBe(2);
  });

  it("ask for another thread when all are busy", async () => {
    const bus = createMessageBus();
    let needed = 0;
    bus.serveOnDemand(["metrics"], () => {
      needed += 1;
    });
    const finish: (() => void)[] = [];
    connect(bus).client.serve(
      "metrics",
      { concurrency: 2, maxWaiting: 1 },
      () => new Promise((resolve) => finish.push(() => resolve("done"))),
    );
    await settled();
    const first = call(bus);
    await settled();
    expect(needed).toBe(0);
    const second = call(bus);
    await settled();
    expect(needed).toBe(1);
    for (const end of finish) end();
    expect(await Promise.all([first, second])).toEqual(["done", "done"]);
  });

  it("refuse calls when too many wait, and when no thread can be started", async () => {
    const bus = createMessageBus();
    bus.serveOnDemand(["metrics"], () => {});
    const calls = Array.from({ length: 21 }, () => call(bus).catch((error: unknown) => error));
    expect(await calls[20]).toMatchObject({ code: "unavailable" });
    bus.refuseWaiting(["metrics"]);
    for (const refused of await Promise.all(calls)) expect(refused).toMatchObject({ code: "unavailable" });
  });

  it("know since when a thread has been idle", async () => {
    const bus = createMessageBus();
    const [own, other] = createDirectChannel();
    const connection = bus.connect(other);
    let finish = (_: string) => {};
    createBusClient(own).serve("metrics", limits, () => new Promise((resolve) => (finish = resolve)));
    await settled();
    const before = connection.idleSince();
    const working = call(bus);
    await settled();
    expect(connection.idleSince()).toBeUndefined();
    finish("done");
    await working;
    expect(connection.idleSince()).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
  });
});

describe("polls", () => {
  it("collect the replies of all threads, except those that fail or are late", async () => {
    const bus = createMessageBus();
    connect(bus).client.replyToPoll("metrics", async () => [{ one: 1 }]);
    connect(bus).client.replyToPoll("metrics", () => new Promise(() => undefined));
    connect(bus);
    await settled();
    await expect(bus.poll("metrics", 20)).resolves.toEqual([[{ one: 1 }]]);
  });
});
