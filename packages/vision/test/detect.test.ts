import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { loadBuiltInModel } from "../src/index.ts";
import { boxOverlap } from "../src/objects/cells.ts";
import { createRandom } from "../train/scenes.ts";
import { bottle, circleShape, drawing, noise, shirtShape, solid } from "./images.ts";

const model = loadBuiltInModel();

describe("detect", () => {
  it("boxes one object on a plain background", async () => {
    const image = await drawing(circleShape, "#a11", "#fff", { width: 400, height: 320 }).jpeg().toBuffer();
    const [circle, ...others] = await model.detect(image);
    expect(others).toEqual([]);
    expect(circle?.name).toBe("object");
    expect(circle?.confidence).toBeGreaterThan(0.5);
    expect(circle?.confidence).toBeLessThanOrEqual(1);
    expect(Math.abs((circle?.box.x ?? 0) - 110)).toBeLessThan(10);
    expect(Math.abs((circle?.box.width ?? 0) - 180)).toBeLessThan(16);
  });

  it("ignores a shadow on the ground, but finds a flat object without one above it", async () => {
    const shadow = `<ellipse cx="100" cy="150" rx="50" ry="6" fill="#bbb"/>`;
    const standing = await drawing(`${circleShape}${shadow}`, "#a11", "#fff").png().toBuffer();
    expect(await model.detect(standing)).toHaveLength(1);
    const alone = await drawing(`<rect x="40" y="70" width="120" height="20"/>`, "#a11", "#fff")
      .png()
      .toBuffer();
    expect(await model.detect(alone)).toHaveLength(1);
  });

  it("separates two objects, highest confidence first", async () => {
    const two = `<circle cx="50" cy="80" r="30"/><rect x="120" y="40" width="50" height="80"/>`;
    const objects = await model.detect(await drawing(two, "#137", "#fff").png().toBuffer());
    expect(objects).toHaveLength(2);
    expect(objects[0]?.confidence).toBeGreaterThanOrEqual(objects[1]?.confidence ?? 1);
  });

  it("separates objects of different colours that touch, and does not split an object of two colours", async () => {
    const touching = `<circle cx="60" cy="80" r="42" fill="#b22"/><circle cx="134" cy="80" r="42" fill="#238"/>`;
    expect(await model.detect(await drawing(touching, "#000", "#fff").png().toBuffer())).toHaveLength(2);
    const alike = `<circle cx="60" cy="80" r="42"/><circle cx="134" cy="80" r="42"/>`;
    expect(await model.detect(await drawing(alike, "#238", "#fff").png().toBuffer())).toHaveLength(1);
    const halves = `<rect x="40" y="40" width="60" height="80" fill="#c00"/><rect x="100" y="40" width="60" height="80" fill="#0b2"/>`;
    expect(await model.detect(await drawing(halves, "#000", "#fff").png().toBuffer())).toHaveLength(1);
  });

  it("finds an object whose colour the background gradient has at another place", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="180">
      <linearGradient id="g"><stop stop-color="#333"/><stop offset="1" stop-color="#ccc"/></linearGradient>
      <rect width="240" height="180" fill="url(#g)"/><rect x="20" y="50" width="70" height="80" fill="#b0b0b0"/></svg>`;
    const found = await model.detect(await sharp(Buffer.from(svg)).png().toBuffer());
    expect(found).toHaveLength(1);
    expect(Math.abs((found[0]?.box.x ?? 0) - 20)).toBeLessThan(8);
    expect(Math.abs((found[0]?.box.width ?? 0) - 70)).toBeLessThan(12);
  });

  it("finds most objects on clutter of many colours", async () => {
    const objects = `<g transform="translate(-8 8) scale(0.6 1)" fill="#226">${shirtShape}</g>
      <g transform="translate(50 12)" fill="#171">${bottle}</g>`;
    const truths = [
      { x: 20, y: 76, width: 168, height: 220 },
      { x: 240, y: 54, width: 120, height: 260 },
    ];
    let hits = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const scene = drawing(`${clutter(seed)}${objects}`, "#000", "#fff", { width: 400, height: 320 });
      const found = await model.detect(await scene.png().toBuffer());
      hits += truths.filter((truth) => found.some(({ box }) => boxOverlap(box, truth) >= 0.5)).length;
    }
    // Of twelve.
    expect(hits).toBeGreaterThanOrEqual(6);
  });

  it("measures boxes on the upright image and crops them there", async () => {
    const left = `<rect x="10" y="40" width="50" height="60"/>`;
    const image = await drawing(left, "#060", "#fff").withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const [found] = await model.detect(image);
    // A quarter turn clockwise brings the left edge to the top: 160 × 200, the rectangle near the top.
    expect(found?.box.y).toBeLessThan(20);
    expect(found?.box.width).toBeGreaterThan(found?.box.height ?? 0);
    const crop = await sharp(await found?.crop()).metadata();
    expect(crop).toMatchObject({ format: "jpeg", width: found?.box.width, height: found?.box.height });
  });

  it("limits a crop to 1024 pixels per side", async () => {
    const image = await drawing(shirtShape, "#226", "#fff", { width: 3000, height: 2400 }).jpeg().toBuffer();
    const [found] = await model.detect(image);
    expect(found?.box.width).toBeGreaterThan(1200);
    const { width, height } = await sharp(await found?.crop()).metadata();
    expect(Math.max(width, height)).toBe(1024);
  });

  it.each([
    ["a solid colour", () => solid(300, 200)],
    ["noise", () => noise(200, 150)],
    ["1 × 1", () => solid(1, 1)],
    ["1 × 20 000", () => solid(1, 20_000)],
  ])("finds nothing in %s", async (_, image) => {
    expect(await model.detect(await image().png().toBuffer())).toEqual([]);
  });
});

function clutter(seed: number): string {
  const random = createRandom(seed);
  const circles = Array.from({ length: 400 }, () => {
    const [x, y, radius] = [200 * random(), 160 * random(), 2 + 6 * random()];
    const colour = `hsl(${360 * random()}, 60%, ${20 + 60 * random()}%)`;
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>`;
  });
  return circles.join("");
}
