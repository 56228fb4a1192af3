import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  askAboutImages,
  type ImageShop,
  imageCount,
  openImageShop,
} from "../../testing/images/image-shop.ts";
import { type RunningService, serve } from "../../testing/running-service.ts";

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

it("responds in the same way on every thread", async () => {
  const slug = await ask.vectorize(5);
  await vi.waitFor(async () => expect(await ask.firstFor(slug)).toBe("product 5"), eventually);
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask.firstFor(slug)));
  expect(new Set(responses)).toEqual(new Set(["product 5"]));
});
