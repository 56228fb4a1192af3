import type { VisionModel } from "@product-search/core/ports/images.ts";
import { expect, test } from "vitest";

/**
 * Test images: two things on a plain background, an empty one, bytes that are not an image, and one too large to
 * decode.
 */
export interface Images {
  twoThings: Uint8Array;
  plain: Uint8Array;
  garbage: Uint8Array;
  tooLarge: Uint8Array;
}

const { signal } = new AbortController();

/** Tests for every vision model. Each call gets a copy, because the bytes may be transferred. */
export function describeVisionModel(open: () => VisionModel, images: () => Images): void {
  const copy = (bytes: Uint8Array) => new Uint8Array(bytes);

  test("describes the same image by the same vector of length 1, with the model's identifier", async () => {
    const first = await open().describe(copy(images().twoThings), signal);
    const second = await open().describe(copy(images().twoThings), signal);
    expect(second).toEqual(first);
    expect(first.model).not.toBe("");
    expect(Math.hypot(...first.vector)).toBeCloseTo(1, 3);
  });

  test("accepts a part of a larger buffer, and does not change the rest", async () => {
    const { twoThings } = images();
    const memory = new Uint8Array(twoThings.length + 20).fill(7);
    memory.set(twoThings, 10);
    const part = memory.subarray(10, 10 + twoThings.length);
    const whole = await open().describe(copy(twoThings), signal);
    expect(await open().describe(part, signal)).toEqual(whole);
    expect(memory[0]).toBe(7);
  });

  test("finds objects, highest confidence first, each with its crop and the crop's descriptor", async () => {
    const found = await open().detect(copy(images().twoThings), signal);
    expect(found).toHaveLength(2);
    expect(found[0]?.confidence).toBeGreaterThanOrEqual(found[1]?.confidence ?? 1);
    for (const { crop, descriptor } of found) {
      expect(await open().describe(copy(crop), signal)).toEqual(descriptor);
    }
  });

  test("finds nothing if nothing stands out", async () => {
    expect(await open().detect(copy(images().plain), signal)).toEqual([]);
  });

  test.each([
    ["garbage", "invalid_image"],
    ["tooLarge", "payload_too_large"],
  ] as const)("refuses %s", async (name, code) => {
    await expect(open().describe(copy(images()[name]), signal)).rejects.toMatchObject({ code });
    await expect(open().detect(copy(images()[name]), signal)).rejects.toMatchObject({ code });
  });

  test("does nothing for a caller that has aborted", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(open().describe(copy(images().plain), gone)).rejects.toThrow("gone");
    await expect(open().detect(copy(images().plain), gone)).rejects.toThrow("gone");
  });
}
