import {
  frameBombs,
  pixelBombs,
  polyglots,
  svgsPointingAt,
} from "@product-search/testing/images/hostile-images.ts";
import { drawing } from "@product-search/testing/images/images.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "../../testing/images/image-service.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

const megabyte = 1024 * 1024;
const operations = [
  ["vectorize-image", "vectorizeImage"],
  ["detect-objects", "detectObjects"],
] as const;

describe.each(operations)("%s", (path, operation) => {
  const send = async (image: Buffer) => post(service, path, { base64String: image.toString("base64") });

  it.each(Object.entries(pixelBombs))(
    "refuses a %s of too many pixels before it decodes any",
    async (_, make) => {
      const bomb = await make();
      expect(bomb.length).toBeLessThan(200_000);
      const before = process.memoryUsage.rss();
      const response = await send(bomb);
      expectDocumented(operation, 413, response);
      expect(response.json().message).toMatch(/^base64String: .*\d+ × \d+ pixels/);
      expect(process.memoryUsage.rss() - before).toBeLessThan(64 * megabyte);
    },
  );

  it.each(Object.entries(frameBombs))("sees the first frame of a %s of very many", async (_, make) => {
    const bomb = await make();
    expect(bomb.length).toBeGreaterThan(5_000_000);
    const before = process.memoryUsage.rss();
    expectDocumented(operation, 200, await send(bomb));
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * megabyte);
  });

  it.each(Object.entries(polyglots))("takes a %s for the image that it is", async (_, make) => {
    expectDocumented(operation, 200, await send(await make()));
  });

  it.each(["jpeg", "png", "webp", "avif", "gif"] as const)(
    "refuses every %s that breaks off",
    async (format) => {
      const whole = await drawing("bars", "#202020").toFormat(format).toBuffer();
      for (const share of [0.02, 0.2, 0.5, 0.9]) {
        const response = await send(whole.subarray(0, Math.ceil(whole.length * share)));
        expectDocumented(operation, 400, response);
        expect(response.json().code).toBe("invalid_image");
      }
    },
  );

  it("refuses SVG in every disguise, and does not fetch what it refers to", async () => {
    const asked = await startReceiver();
    for (const target of [`${asked.url}/picture`, "file:///etc/passwd"]) {
      for (const [disguise, svg] of Object.entries(svgsPointingAt(target))) {
        const response = await send(svg);
        expectDocumented(operation, 400, response);
        expect(response.json().code, disguise).toBe("invalid_image");
        expect(response.body).not.toContain("root:");
      }
    }
    expect(asked.received).toEqual([]);
    await asked.close();
  });
});
