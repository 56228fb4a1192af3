import { decodeImage, openImage } from "../src/image/open-image.ts";
import { readNetwork } from "../src/learned/learned-encoder.ts";
import {
  boxOverlap,
  type CellWeights,
  cellLength,
  confidenceOf,
  createBoxReader,
  createCellReader,
  evidenceLength,
  joinBoxes,
  viewSide,
} from "../src/objects/cells.ts";
import { fitHead } from "./fit-head.ts";
import type { SceneTask } from "./scene-worker.ts";
import { gatherObjects, labelLength, type Photograph, type SceneSource, sceneAt } from "./scenes.ts";
import { shareAmongWorkers } from "./share-among-workers.ts";

const defaults = { scenes: 2000, cellsPerScene: 64, judgedScenes: 300 };
const minOverlap = 0.5;
const [fitRounds, fitRate, penalty] = [20_000, 0.3, 1e-3];

/** Learns to find objects from scenes composed of the photographs; the same photographs give the same weights. */
export async function trainCells(
  photographs: readonly Photograph[],
  report: (step: string) => void,
  { scenes, cellsPerScene, judgedScenes } = defaults,
): Promise<CellWeights> {
  report("cutting objects out of photographs");
  const source = await gatherObjects(photographs);
  report(`reading the cells of ${scenes} scenes`);
  const count = scenes * cellsPerScene;
  const cells = new SharedArrayBuffer(count * cellLength * 4);
  const labels = new SharedArrayBuffer(count * labelLength * 4);
  const task = { source, scenes, cellsPerScene, cells, labels } satisfies SceneTask;
  await shareAmongWorkers(new URL("./scene-worker.ts", import.meta.url), task, scenes);
  report("learning the boxes of cells");
  const head = fitHead(new Float32Array(cells), new Float32Array(labels));
  report("learning to judge boxes");
  return { ...head, evidence: await fitEvidence(source, head, scenes, judgedScenes) };
}

/** Logistic regression of "overlaps one object by half or more", on scenes that the boxes were not learned from. */
async function fitEvidence(
  source: SceneSource,
  head: Omit<CellWeights, "evidence">,
  first: number,
  count: number,
): Promise<Float32Array> {
  const readCells = createCellReader(readNetwork());
  const readBoxes = createBoxReader(head);
  const samples: { evidence: readonly number[]; right: boolean }[] = [];
  for (let number = first; number < first + count; number++) {
    const { bytes, width, boxes } = await sceneAt(source, number);
    const raster = await decodeImage(await openImage(bytes), viewSide);
    const scale = raster.width / width;
    const truths = boxes.map((box) => ({
      x: box.x * scale,
      y: box.y * scale,
      width: box.width * scale,
      height: box.height * scale,
    }));
    for (const { box, evidence } of joinBoxes(readBoxes(readCells(raster)), raster)) {
      const hit = truths.findIndex((truth) => boxOverlap(truth, box) >= minOverlap);
      if (hit >= 0) truths.splice(hit, 1);
      samples.push({ evidence, right: hit >= 0 });
    }
  }
  const weights = new Float32Array(evidenceLength);
  for (let round = 0; round < fitRounds; round++) {
    const slopes = weights.map((weight) => penalty * weight);
    for (const { evidence, right } of samples) {
      const error = (confidenceOf(evidence, weights) - Number(right)) / samples.length;
      for (const [i, value] of evidence.entries()) slopes[i] = (slopes[i] ?? 0) + error * value;
    }
    for (const [i, slope] of slopes.entries()) weights[i] = (weights[i] ?? 0) - fitRate * slope;
  }
  return weights;
}
