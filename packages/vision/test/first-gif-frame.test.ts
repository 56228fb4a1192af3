import { describe, expect, it } from "vitest";
import { firstGifFrame } from "../src/first-gif-frame.ts";
import { CIRCLE, drawing } from "./pictures.ts";

const DOT = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);

describe("firstGifFrame", () => {
  it("leaves a file of one frame as it is and cuts everything after the first of many", async () => {
    const one = await drawing(CIRCLE, "#a11", "#fff").gif().toBuffer();
    expect(Buffer.from(firstGifFrame(one)).equals(one)).toBe(true);
    const frames = new Array<Buffer>(1000).fill(DOT);
    const many = Buffer.concat([one.subarray(0, one.length - 1), ...frames, Buffer.from(";")]);
    expect(Buffer.from(firstGifFrame(many)).equals(one)).toBe(true);
  });

  it("leaves it to the decoder to refuse what is not whole", async () => {
    const one = await drawing(CIRCLE, "#a11", "#fff").gif().toBuffer();
    for (const length of [6, 13, 200, one.length - 3]) {
      const part = one.subarray(0, length);
      expect(firstGifFrame(part)).toBe(part);
    }
  });
});
