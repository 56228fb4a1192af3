import { boxOverlap } from "../src/objects/box-overlap.ts";
import type { VisionModel } from "../src/vision-model.ts";
import type { Composite } from "./composites.ts";
import { mean } from "./retrieval.ts";

/** Boxes with a lower confidence mean "perhaps the whole image". They count neither as found nor as false. */
const minConfidence = 0.3;
const minOverlap = 0.5;

export interface DetectionFigures {
  readonly detectionRecall: number | undefined;
  readonly falseBoxesPerImage: number | undefined;
}

/** One evaluated box: the detector's confidence, and whether the box was right. For calibration. */
export interface JudgedBox {
  readonly confidence: number;
  readonly right: boolean;
}

export async function evaluateDetection(
  model: Pick<VisionModel, "detect">,
  images: AsyncIterable<Composite>,
) {
  const recalls = new Map<string, number[]>();
  const falses = new Map<string, number[]>();
  const judged: JudgedBox[] = [];
  for await (const { background, crowded, bytes, boxes } of images) {
    const objects = await model.detect(bytes);
    const free = new Set(boxes);
    let wrong = 0;
    for (const { box, confidence } of objects) {
      const hit = [...free].find((truth) => boxOverlap(truth, box) >= minOverlap);
      judged.push({ confidence, right: hit !== undefined });
      if (confidence < minConfidence) continue;
      if (hit === undefined) wrong++;
      else free.delete(hit);
    }
    const crowding = crowded ? "overlapping" : "apart";
    for (const row of ["all", background, crowding, `${background}, ${crowding}`]) {
      push(recalls, row, ...boxes.map((box) => (free.has(box) ? 0 : 1)));
      push(falses, row, wrong);
    }
  }
  const rows = [...recalls].map(([row, values]) => [row, figures(values, falses.get(row) ?? [])] as const);
  const { all = figures([], []), ...others } = Object.fromEntries(rows);
  return { ...all, rows: others, judged };
}

function figures(right: readonly number[], wrong: readonly number[]): DetectionFigures {
  return { detectionRecall: mean(right), falseBoxesPerImage: mean(wrong) };
}

function push(map: Map<string, number[]>, key: string, ...values: number[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}
