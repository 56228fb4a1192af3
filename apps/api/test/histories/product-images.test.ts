import { readFileSync } from "node:fs";
import { drawing } from "@product-search/testing/images/images.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  askAboutImages,
  type ImageShop,
  imageCount,
  openImageShop,
} from "../../testing/images/image-shop.ts";
import { type RunningService, run, serve } from "../../testing/running-service.ts";

const eventually = { timeout: 60_000, interval: 100 };

let shop: ImageShop;
let service: RunningService;
let ask: ReturnType<typeof askAboutImages>;
beforeAll(async () => {
  shop = await openImageShop();
  service = await serve(shop.environment);
  ask = askAboutImages(() => service, shop.token);
  await vi.waitFor(async () => expect(await ask.described()).toBe(imageCount), eventually);
});
afterAll(async () => {
  service.child.kill("SIGKILL");
  await service.exit;
  await shop.close();
});

it("continues after kill -9, fetches nothing twice, and accepts earlier slugs", async () => {
  const held = await openImageShop({ held: true });
  let own = await serve(held.environment);
  const { described, vectorize, firstFor } = askAboutImages(() => own, held.token);
  await vi.waitFor(async () => expect(await described()).toBe(imageCount / 2), eventually);
  const slug = await vectorize(3);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  own.child.kill("SIGKILL");
  await own.exit;

  held.release();
  own = await serve(held.environment);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  await vi.waitFor(async () => expect(await described()).toBe(imageCount), eventually);
  for (let n = 0; n < imageCount / 2; n++) {
    expect(
      held.received.filter(({ path }) => path === `/${n}`),
      `image ${n}`,
    ).toHaveLength(1);
  }
  expect(await vectorize(3)).toBe(slug);
  const last = await vectorize(imageCount - 1);
  await vi.waitFor(async () => expect(await firstFor(last)).toBe(`product ${imageCount - 1}`), eventually);
  own.child.kill("SIGKILL");
  await own.exit;
  await held.close();
});

it("after a change of the model, searches the former index until the new one is complete", async () => {
  const changed = await openImageShop();
  let own = await serve({ ...changed.environment, VISION_MODEL: "small" });
  const { described, vectorize, firstFor, searchWith } = askAboutImages(() => own, changed.token);
  await vi.waitFor(async () => expect(await described()).toBe(imageCount), eventually);
  const slug = await vectorize(3);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  own.child.kill("SIGTERM");
  await own.exit;

  changed.hold();
  own = await serve(changed.environment);
  await vi.waitFor(async () => expect(await firstFor(slug)).toBe("product 3"), eventually);
  await vi.waitFor(async () => expect(await described()).toBe(imageCount / 2), eventually);
  expect(await firstFor(slug)).toBe("product 3");
  expect(await firstFor(await vectorize(4))).toBe("product 4");

  changed.release();
  await vi.waitFor(async () => expect((await searchWith(slug)).status).toBe(404), eventually);
  expect((await searchWith(slug)).message).toMatch(/earlier image model.*again/);
  expect(await vectorize(3)).toBe(slug);
  expect(await firstFor(slug)).toBe("product 3");
  own.child.kill("SIGKILL");
  await own.exit;
  await changed.close();
});

it("responds in the same way on every thread", async () => {
  const slug = await ask.vectorize(5);
  await vi.waitFor(async () => expect(await ask.firstFor(slug)).toBe("product 5"), eventually);
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask.firstFor(slug)));
  expect(new Set(responses)).toEqual(new Set(["product 5"]));
});

it("refuses images above the limit, handles all others, and needs little memory for them", async () => {
  const big = await drawing("ring", "#208040").resize(1600, 1600).jpeg({ quality: 95 }).toBuffer();
  const padding = Buffer.alloc(200_000);
  // Bytes after the end of a JPEG change its slug and nothing else.
  const images = Array.from({ length: 200 }, (_, n) => Buffer.concat([big, padding, Buffer.from(`${n}`)]));
  const before = residentMb();
  const responses = await Promise.all(images.map((bytes) => ask.send(bytes)));
  // Bodies may take 64 MB of each of the two threads, four times over; all at once would be more than a gigabyte.
  expect(residentMb() - before).toBeLessThan(600);
  const statuses = Map.groupBy(responses, ({ status }) => status);
  expect([...statuses.keys()].every((status) => status === 200 || status === 503)).toBe(true);
  expect(statuses.get(200)?.length ?? 0).toBeGreaterThan(10);
  expect(statuses.get(503)?.length ?? 0).toBeGreaterThan(10);
  for (const refused of statuses.get(503) ?? []) expect(refused.headers.get("retry-after")).toBe("1");
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});

it("does not start if a vision model cannot be loaded, and reports why", async () => {
  const missing = run(["serve"], { ...shop.environment, PORT: "0", VISION_MODEL: "/nowhere/clip.onnx" });
  expect(await missing.exit).not.toBe(0);
  expect(missing.output()).toMatch(/clip\.onnx|onnxruntime-node/);
});

/** The peak memory of the service, if the system reports it; otherwise this check is skipped. */
function residentMb(): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
