import { beforeAll, describe, expect, it } from "vitest";
import { loadBuiltInModel, loadSmallModel, type VisionModel } from "../src/index.ts";
import { bottle, circleShape, drawing, noise, shirtShape, solid } from "./images.ts";

const similarity = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe.each([
  ["the built-in model", loadBuiltInModel],
  ["the small model", loadSmallModel],
])("describe, %s", (_, load) => {
  let model: VisionModel;
  beforeAll(() => {
    model = load();
  });

  it("always gives the same vector of length 1, from every instance", async () => {
    const image = await drawing(shirtShape, "#226", "#fff").jpeg().toBuffer();
    const first = await model.describe(image);
    await model.describe(await drawing(bottle, "#a20", "#fff").png().toBuffer());
    expect(first).toHaveLength(model.dimensions);
    expect(similarity(first, first)).toBeCloseTo(1, 5);
    expect(await model.describe(image)).toEqual(first);
    expect(await load().describe(image)).toEqual(first);
  });

  it("keeps the results of concurrent calls apart", async () => {
    const images = await Promise.all(
      [shirtShape, bottle, circleShape].map((shape) => drawing(shape, "#063", "#eee").png().toBuffer()),
    );
    const together = await Promise.all(images.map((image) => model.describe(image)));
    for (const [i, image] of images.entries()) expect(await model.describe(image)).toEqual(together[i]);
  });

  it.each([
    ["its mirror image", () => drawing(shirtShape, "#226", "#fff").flop()],
    ["a quarter turn", () => drawing(shirtShape, "#226", "#fff").rotate(90)],
    [
      "wide margins",
      () =>
        drawing(shirtShape, "#226", "#fff").extend({
          left: 80,
          right: 80,
          top: 40,
          bottom: 40,
          background: "#fff",
        }),
    ],
    ["half the size", () => drawing(shirtShape, "#226", "#fff", { width: 100, height: 80 })],
    ["another background", () => drawing(shirtShape, "#226", "#e8dcc0")],
  ])("finds an image most like %s", async (_, changed) => {
    const wanted = await model.describe(await drawing(shirtShape, "#226", "#fff").png().toBuffer());
    const query = await model.describe(await changed().png().toBuffer());
    for (const [shape, colour] of [
      [bottle, "#226"],
      [circleShape, "#226"],
      [bottle, "#a20"],
      [circleShape, "#282"],
    ] as const) {
      const other = await model.describe(await drawing(shape, colour, "#fff").png().toBuffer());
      expect(similarity(query, wanted)).toBeGreaterThan(similarity(query, other));
    }
  });

  it.each([
    ["a solid colour", () => solid(300, 200)],
    ["black", () => solid(64, 64, "#000000")],
    ["noise", () => noise(200, 150)],
    ["1 × 1", () => solid(1, 1)],
    ["1 × 20 000", () => solid(1, 20_000)],
    ["20 000 × 1", () => solid(20_000, 1)],
  ])("describes %s", async (_, image) => {
    const vector = await model.describe(await image().png().toBuffer());
    expect(similarity(vector, vector)).toBeCloseTo(1, 5);
  });
});
