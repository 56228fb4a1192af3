import { boxOverlap } from "../objects/box-overlap.ts";
import type { Box } from "../vision-model.ts";
import type { OnnxTensor } from "./onnx-runtime.ts";

const maxObjects = 50;

/** A box that a detector proposes, in pixels of its input. */
export interface Candidate {
  readonly name: string;
  readonly confidence: number;
  readonly box: Box;
}

/**
 * Either [1, 4 + names, boxes] (YOLOv8 and later) or [1, boxes, 5 + names] (YOLOv5 and v7, with an additional objectness
 * score): centre, width and height in pixels of the input, then a score for each name.
 */
export function readCandidates(
  outputs: Record<string, OnnxTensor>,
  names: readonly string[],
  threshold: number,
  file: string,
): Candidate[] {
  const tensors = Object.values(outputs);
  const later = tensors.find(({ shape }) => shape.length === 3 && shape[1] === 4 + names.length);
  if (later !== undefined) {
    const boxes = later.shape[2] ?? 0;
    return collect(boxes, (box, field) => later.data[field * boxes + box] ?? 0, false, names, threshold);
  }
  const earlier = tensors.find(({ shape }) => shape.length === 3 && shape[2] === 5 + names.length);
  if (earlier !== undefined) {
    const fields = 5 + names.length;
    const value = (box: number, field: number) => earlier.data[box * fields + field] ?? 0;
    return collect(earlier.shape[1] ?? 0, value, true, names, threshold);
  }
  const shapes = tensors.map(({ shape }) => `[${shape.join(", ")}]`).join(", ");
  throw new Error(
    `${file} gives tensors of shape ${shapes}; with ${names.length} "names" one must be ` +
      `[1, ${4 + names.length}, boxes] or [1, boxes, ${5 + names.length}]. Correct "names" or export without post-processing.`,
  );
}

function collect(
  boxes: number,
  value: (box: number, field: number) => number,
  hasObjectness: boolean,
  names: readonly string[],
  threshold: number,
): Candidate[] {
  const first = hasObjectness ? 5 : 4;
  const candidates: Candidate[] = [];
  for (let box = 0; box < boxes; box++) {
    const objectness = hasObjectness ? value(box, 4) : 1;
    for (const [index, name] of names.entries()) {
      const confidence = Math.min(1, objectness * value(box, first + index));
      if (!(confidence >= threshold)) continue;
      const [width, height] = [value(box, 2), value(box, 3)];
      const area = { x: value(box, 0) - width / 2, y: value(box, 1) - height / 2, width, height };
      candidates.push({ name, confidence, box: area });
    }
  }
  return candidates;
}

/** If boxes of one name overlap more than allowed, only the most confident one is kept. */
export function keepBest(candidates: readonly Candidate[], allowed: number): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.confidence - a.confidence)) {
    if (kept.length === maxObjects) break;
    const rival = kept.some(
      ({ name, box }) => name === candidate.name && boxOverlap(box, candidate.box) > allowed,
    );
    if (!rival) kept.push(candidate);
  }
  return kept;
}
