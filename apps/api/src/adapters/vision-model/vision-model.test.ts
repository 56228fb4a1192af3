import { setTimeout } from "node:timers/promises";
import { MessageChannel, type MessagePort, type Transferable } from "node:worker_threads";
import type { Descriptor } from "@product-search/core/ports/images.ts";
import { describeVisionModel, type Images } from "@product-search/testing/contracts/vision-model.ts";
import { pngBomb, twoThings } from "@product-search/testing/images/images.ts";
import { loadBuiltInModel } from "@product-search/vision";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BusClient, type Channel, createBusClient, type Message } from "../../runtime/bus-client.ts";
import { createMessageBus } from "../../runtime/message-bus.ts";
import { createInProcessVisionModel } from "./in-process.ts";
import { createVisionPool } from "./pool.ts";

const engine = createInProcessVisionModel(loadBuiltInModel());
let images: Images;
const ports: MessagePort[] = [];
beforeAll(async () => {
  images = {
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

/** A channel over a real message port: transferred data is gone, and only plain data can be sent. */
function channelOf(port: MessagePort): Channel {
  ports.push(port);
  return {
    send: (message, transfer: readonly Transferable[] = []) => port.postMessage(message, [...transfer]),
    onMessage: (listener) => void port.on("message", (message: Message) => listener(message)),
  };
}

function joinThread(bus: ReturnType<typeof createMessageBus>): BusClient {
  const { port1, port2 } = new MessageChannel();
  bus.connect(channelOf(port1));
  return createBusClient(channelOf(port2));
}

const describeWith =
  (client: BusClient) =>
  (image: { bytes: Uint8Array<ArrayBuffer> }, signal: AbortSignal): Promise<Descriptor> =>
    client.call("describeImage", image, { timeoutMs: 20_000, signal, transfer: [image.bytes.buffer] });

describe("the model in this process", () => {
  describeVisionModel(
    () => engine,
    () => images,
  );
});

describe("the pool of threads", () => {
  const bus = createMessageBus();
  const caller = joinThread(bus);
  const worker = joinThread(bus);
  const { signal } = new AbortController();
  worker.serve("describeImage", { concurrency: 1, maxWaiting: 5 }, ({ bytes }, stop) =>
    engine.describe(bytes, stop),
  );
  worker.serve("findObjects", { concurrency: 1, maxWaiting: 5 }, ({ bytes }, stop) =>
    engine.detect(bytes, stop),
  );
  const pool = createVisionPool(
    {
      describe: describeWith(caller),
      detect: (image, stop) => caller.call("findObjects", image, { timeoutMs: 20_000, signal: stop }),
    },
    () => undefined,
  );
  describeVisionModel(
    () => pool,
    () => images,
  );

  test("refuses calls above the limit, with Retry-After", async () => {
    const busyBus = createMessageBus();
    const client = joinThread(busyBus);
    const busy = joinThread(busyBus);
    const finish = Promise.withResolvers<void>();
    const descriptor = { model: "m", vector: Float32Array.from([1]) };
    busy.serve("describeImage", { concurrency: 1, maxWaiting: 2 }, async () => {
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

  test("describes no image whose caller has aborted, neither while it waits nor after it was decoded", async () => {
    const countingBus = createMessageBus();
    const client = joinThread(countingBus);
    const seeing = joinThread(countingBus);
    let described = 0;
    const model = loadBuiltInModel();
    const counted = createInProcessVisionModel({
      ...model,
      describe: async (bytes, stop) => {
        const vector = await model.describe(bytes, stop);
        described += 1;
        return vector;
      },
    });
    seeing.serve("describeImage", { concurrency: 1, maxWaiting: 5 }, ({ bytes }, stop) =>
      counted.describe(bytes, stop),
    );
    await setTimeout(20);
    const pool = createVisionPool(
      { describe: describeWith(client), detect: async () => [] },
      () => undefined,
    );
    const leaving = new AbortController();
    const left = [1, 2, 3].map(() =>
      pool.describe(new Uint8Array(images.twoThings), leaving.signal).catch(() => "left"),
    );
    leaving.abort();
    expect(await Promise.all(left)).toEqual(["left", "left", "left"]);
    await pool.describe(new Uint8Array(images.twoThings), signal);
    expect(described).toBe(1);
  });

  test("transfers the bytes, with the model of the searched vectors", async () => {
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
