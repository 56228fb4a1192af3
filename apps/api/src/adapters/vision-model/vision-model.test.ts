import { setTimeout } from "node:timers/promises";
import { MessageChannel, type MessagePort, type Transferable } from "node:worker_threads";
import { loadBuiltInModel } from "@product-search/vision";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pngBomb, twoThings } from "../../../testing/pictures.ts";
import type { Descriptor } from "../../ports/vision-model.ts";
import { createLink, type Message, type ThreadLink, type Wire } from "../../runtime/bus-client.ts";
import { createHub } from "../../runtime/message-bus.ts";
import { describeVisionModel, type Pictures } from "./contract.ts";
import { createInProcessVisionModel } from "./in-process.ts";
import { createVisionPool } from "./pool.ts";

const engine = createInProcessVisionModel(loadBuiltInModel());
let pictures: Pictures;
const ports: MessagePort[] = [];
beforeAll(async () => {
  pictures = {
    twoThings: await twoThings(),
    plain: await sharp({ create: { width: 90, height: 90, channels: 3, background: "#eee" } })
      .png()
      .toBuffer(),
    garbage: Buffer.from("garbage"),
    tooLarge: pngBomb(6000, 6000),
  };
});
afterAll(() => {
  for (const port of ports) port.close();
});

/** A wire over a real message port: what is moved is gone, what is no plain data does not pass. */
function wireOf(port: MessagePort): Wire {
  ports.push(port);
  return {
    post: (message, transfer: readonly Transferable[] = []) => port.postMessage(message, [...transfer]),
    listen: (listener) => void port.on("message", (message: Message) => listener(message)),
  };
}

function joinThread(hub: ReturnType<typeof createHub>): ThreadLink {
  const { port1, port2 } = new MessageChannel();
  hub.join(wireOf(port1));
  return createLink(wireOf(port2));
}

const describeWith =
  (link: ThreadLink) =>
  (picture: { bytes: Uint8Array<ArrayBuffer> }, signal: AbortSignal): Promise<Descriptor> =>
    link.call("describePicture", picture, { timeoutMs: 20_000, signal, transfer: [picture.bytes.buffer] });

describe("the model in this process", () => {
  describeVisionModel(
    () => engine,
    () => pictures,
  );
});

describe("the pool of threads", () => {
  const hub = createHub();
  const caller = joinThread(hub);
  const worker = joinThread(hub);
  const { signal } = new AbortController();
  worker.serve("describePicture", { concurrency: 1, mostWaiting: 5 }, ({ bytes }) =>
    engine.describe(bytes, signal),
  );
  worker.serve("findObjects", { concurrency: 1, mostWaiting: 5 }, ({ bytes }) =>
    engine.detect(bytes, signal),
  );
  const pool = createVisionPool(
    {
      describe: describeWith(caller),
      detect: (picture, stop) => caller.call("findObjects", picture, { timeoutMs: 20_000, signal: stop }),
    },
    () => undefined,
  );
  describeVisionModel(
    () => pool,
    () => pictures,
  );

  test("refuses what is more than can wait, with a time to come back", async () => {
    const busyHub = createHub();
    const client = joinThread(busyHub);
    const busy = joinThread(busyHub);
    const finish = Promise.withResolvers<void>();
    const descriptor = { model: "m", vector: Float32Array.from([1]) };
    busy.serve("describePicture", { concurrency: 1, mostWaiting: 2 }, async () => {
      await finish.promise;
      return descriptor;
    });
    await setTimeout(20);
    const crowded = createVisionPool({ describe: describeWith(client), detect: async () => [] }, () => "m");
    const asked = Array.from({ length: 5 }, () =>
      crowded.describe(new Uint8Array(10), signal).then(
        () => "seen",
        ({ code, headers }) => `${code} ${headers["retry-after"]}`,
      ),
    );
    await setTimeout(50);
    finish.resolve();
    expect((await Promise.all(asked)).toSorted()).toEqual([
      "seen",
      "seen",
      "seen",
      "unavailable 1",
      "unavailable 1",
    ]);
  });

  test("moves the bytes, and says which model's vectors are searched", async () => {
    const seen: unknown[] = [];
    const watching = createVisionPool(
      {
        describe: async ({ bytes, model }) => {
          seen.push([bytes.length, model]);
          return { model: "m", vector: Float32Array.from([1]) };
        },
        detect: async () => [],
      },
      () => "searched",
    );
    await watching.describe(new Uint8Array(100), signal);
    expect(seen).toEqual([[100, "searched"]]);
  });
});
