import { expect, it } from "vitest";
import { composites } from "../../bench/composites.ts";
import { evaluateDetection } from "../../bench/evaluate-vision.ts";
import type { Box, DetectedObject } from "../../src/vision-model.ts";
import { createRandom } from "../../train/scenes.ts";
import { bottle, drawing, shirtShape } from "../images.ts";

const images = async () => [
  await drawing(shirtShape, "#226", "#fff").png().toBuffer(),
  await drawing(bottle, "#171", "#fff").png().toBuffer(),
];
const response = (box: Box): DetectedObject => ({
  name: "object",
  confidence: 0.9,
  box,
  crop: async () => Buffer.alloc(0),
});

async function* remembered(truth: Box[][]) {
  for await (const composite of composites(await images(), 8, createRandom(5))) {
    truth.push([...composite.boxes]);
    yield composite;
  }
}

it("a perfect detector finds everything", async () => {
  const truth: Box[][] = [];
  const detect = async () => (truth.at(-1) ?? []).map(response);
  const report = await evaluateDetection({ detect }, remembered(truth));
  expect(report).toMatchObject({ detectionRecall: 1, falseBoxesPerImage: 0 });
  expect(Object.keys(report.rows)).toEqual(expect.arrayContaining(["white", "plain", "gradient", "clutter"]));
});

it("a box in a corner finds nothing and counts as false", async () => {
  const detect = async () => [response({ x: 0, y: 0, width: 9, height: 9 })];
  const report = await evaluateDetection({ detect }, remembered([]));
  expect(report).toMatchObject({ detectionRecall: 0, falseBoxesPerImage: 1 });
});

it("a box with low confidence is not counted", async () => {
  const detect = async () => [{ ...response({ x: 0, y: 0, width: 480, height: 360 }), confidence: 0.1 }];
  const report = await evaluateDetection({ detect }, remembered([]));
  expect(report).toMatchObject({ detectionRecall: 0, falseBoxesPerImage: 0 });
});
