import { describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { createLink, type ThreadLink } from "./bus-client.ts";
import { createDirectWires, createHub } from "./message-bus.ts";

function join(hub: ReturnType<typeof createHub>): { link: ThreadLink; leave: () => void } {
  const [own, other] = createDirectWires();
  const link = createLink(own);
  return { link, leave: hub.join(other) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const bounds = { concurrency: 1, mostWaiting: 1 };

describe("topics", () => {
  it("reach threads that are there and threads that come later", async () => {
    const hub = createHub();
    const early: string[][] = [];
    const late: string[][] = [];
    join(hub).link.subscribe("missing", (value) => early.push([...value]));
    hub.link.publish("missing", ["a"]);
    await settled();
    join(hub).link.subscribe("missing", (value) => late.push([...value]));
    hub.link.publish("missing", []);
    await settled();
    expect(early).toEqual([["a"], []]);
    expect(late.at(-1)).toEqual([]);
  });

  it("are not handed to threads that do not want them", async () => {
    const hub = createHub();
    const [own, other] = createDirectWires();
    const seen: string[] = [];
    own.listen(({ kind }) => seen.push(kind));
    hub.join(other);
    hub.link.publish("missing", ["a"]);
    await settled();
    expect(seen).toEqual([]);
    own.post({ kind: "subscribe", topic: "missing" });
    await settled();
    expect(seen).toEqual(["publish"]);
  });
});

describe("services", () => {
  it("answer across threads and pass on refusals as they are", async () => {
    const hub = createHub();
    let fails = false;
    join(hub).link.serve("metrics", bounds, async () => {
      if (fails) throw new ApiError("unavailable", "Later.", { retryAfterSeconds: 7 });
      return "text";
    });
    const { link } = join(hub);
    await settled();
    await expect(link.call("metrics", null, { timeoutMs: 1000 })).resolves.toBe("text");
    fails = true;
    await expect(link.call("metrics", null, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": "7" },
    });
  });

  it("refuse what is more than may wait", async () => {
    const hub = createHub();
    const open: (() => void)[] = [];
    hub.link.serve("metrics", bounds, () => new Promise((resolve) => open.push(() => resolve("done"))));
    await settled();
    const calls = [1, 2, 3].map(() => hub.link.call("metrics", null, { timeoutMs: 1000 }));
    await expect(calls[2]).rejects.toMatchObject({ code: "unavailable" });
    expect(open).toHaveLength(1);
    open[0]?.();
    await expect(calls[0]).resolves.toBe("done");
    await settled();
    open[1]?.();
    await expect(calls[1]).resolves.toBe("done");
  });

  it("are unavailable when nobody offers them, late, or gone", async () => {
    const hub = createHub();
    const unavailable = { code: "unavailable" };
    await expect(hub.link.call("metrics", null, { timeoutMs: 1000 })).rejects.toMatchObject(unavailable);
    const { link, leave } = join(hub);
    link.serve("metrics", bounds, () => new Promise(() => undefined));
    await settled();
    await expect(hub.link.call("metrics", null, { timeoutMs: 10 })).rejects.toMatchObject(unavailable);
    const call = hub.link.call("metrics", null, { timeoutMs: 1000 });
    await settled();
    leave();
    await expect(call).rejects.toMatchObject(unavailable);
  });
});

describe("polls", () => {
  it("gather every thread's answer and leave out those that fail or are late", async () => {
    const hub = createHub();
    join(hub).link.answerPoll("metrics", async () => [{ one: 1 }]);
    join(hub).link.answerPoll("metrics", () => new Promise(() => undefined));
    join(hub);
    await settled();
    await expect(hub.poll("metrics", 20)).resolves.toEqual([[{ one: 1 }]]);
  });
});
