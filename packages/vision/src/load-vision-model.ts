import { createHash } from "node:crypto";
import { loadBuiltInModel, loadSmallModel } from "./built-in-model.ts";
import { smallModel } from "./identity.ts";
import { decoding, type OpenedImage, openImage, threeChannels } from "./image/open-image.ts";
import { boxOverlap } from "./objects/cells.ts";
import { detectedObject } from "./objects/detect-objects.ts";
import { fillInput, inputShape, loadOnnxEncoder, OnnxSettings, openOnnxModel } from "./onnx/onnx-encoder.ts";
import { loadOnnxRuntime, type OnnxRuntime, type OnnxTensor } from "./onnx/onnx-runtime.ts";
import type { Box, DetectedObject, VisionModel } from "./vision-model.ts";

const maxObjects = 50;

const knownSettings = ["size", "names", "confidence", "overlap"];

const noShift = [0, 0, 0] as const;

const noScale = [1, 1, 1] as const;

/** The grey of the margins that YOLO models are trained with. */
const margin = "#727272";

export interface LearnedModelFiles {
  /** `smallModel`, or the path of an ONNX image encoder with its settings file next to it: see docs/vision-models.md. */
  readonly encoder?: string | undefined;
  /** Path of a YOLO-style detector, in the same form. */
  readonly detector?: string | undefined;
}

/**
 * The built-in model unless an encoder is named. An encoder from a file is joined to the small model: together they find
 * more than either. If a file, its settings or the runtime is missing or unsuitable, it rejects with a message that says
 * what to do. Load once per thread, at start.
 */
export async function loadVisionModel(
  { encoder: encoderFile, detector: detectorFile }: LearnedModelFiles,
  openRuntime: () => Promise<OnnxRuntime> = loadOnnxRuntime,
): Promise<VisionModel> {
  const own = encoderFile === undefined ? loadBuiltInModel() : loadSmallModel();
  const isOwn = encoderFile === undefined || encoderFile === smallModel;
  if (isOwn && detectorFile === undefined) return own;
  const runtime = await openRuntime();
  const encoder = isOwn ? undefined : await loadOnnxEncoder(runtime, encoderFile);
  const detector = detectorFile === undefined ? undefined : await loadOnnxDetector(runtime, detectorFile);
  return {
    // A detector finds other boxes but does not change vectors, and the id identifies vectors only.
    id: encoder === undefined ? own.id : `${own.id}+${encoder.id}`,
    dimensions: own.dimensions + (encoder?.dimensions ?? 0),
    async describe(bytes, signal) {
      const base = await own.describe(bytes, signal);
      if (encoder === undefined) return base;
      signal?.throwIfAborted();
      const learned = await encoder.encode(await openImage(bytes));
      return joined(base, learned, encoder.weight);
    },
    async detect(bytes, signal) {
      if (detector === undefined) return own.detect(bytes, signal);
      const image = await openImage(bytes);
      signal?.throwIfAborted();
      return detector.detect(image);
    },
  };
}

/** Both vectors in one of length 1, in which the second counts `weight` times as much as the first. */
function joined(first: Float32Array, second: Float32Array, weight: number): Float32Array {
  const share = 1 / Math.hypot(1, weight);
  const vector = new Float32Array(first.length + second.length);
  vector.set(first.map((value) => value * share));
  vector.set(
    second.map((value) => value * share * weight),
    first.length,
  );
  return vector;
}

interface OnnxDetector {
  readonly id: string;
  detect(image: OpenedImage): Promise<DetectedObject[]>;
}

/** A YOLO-style detector from a file. It runs once on an empty image, so that errors show at the start. */
async function loadOnnxDetector(runtime: OnnxRuntime, file: string): Promise<OnnxDetector> {
  const settings = new OnnxSettings(file, knownSettings);
  const names = settings.names("names");
  const threshold = settings.number("confidence", { from: 0, to: 1 }) ?? 0.25;
  const allowed = settings.number("overlap", { from: 0, to: 1 }) ?? 0.45;
  const model = await openOnnxModel(runtime, file, settings.number("size", { from: 32, to: 4096 }));
  const run = async (rgb: Uint8Array) => {
    const outputs = await model.session.run(
      fillInput(rgb, model.layout, noShift, noScale),
      inputShape(model),
    );
    return readCandidates(outputs, names, threshold, file);
  };
  await run(new Uint8Array(model.width * model.height * 3));
  const settingsDigest = createHash("sha256").update(settings.source).digest("hex").slice(0, 6);
  return {
    id: `${model.digest}-${settingsDigest}`,
    async detect(image) {
      const scale = Math.min(model.width / image.width, model.height / image.height);
      const left = (model.width - image.width * scale) / 2;
      const top = (model.height - image.height * scale) / 2;
      const framed = image.pixels().resize(model.width, model.height, { fit: "contain", background: margin });
      const pixels = await decoding(() =>
        framed.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true }),
      );
      const candidates = await run(threeChannels(pixels.data, pixels.info.channels));
      return keepBest(candidates, allowed).map(({ name, confidence, box }) =>
        detectedObject(image, name, confidence, {
          x: (box.x - left) / scale,
          y: (box.y - top) / scale,
          width: box.width / scale,
          height: box.height / scale,
        }),
      );
    },
  };
}

/** A box that a detector proposes, in pixels of its input. */
interface Candidate {
  readonly name: string;
  readonly confidence: number;
  readonly box: Box;
}

/**
 * Either [1, 4 + names, boxes] (YOLOv8 and later) or [1, boxes, 5 + names] (YOLOv5 and v7, with an additional objectness
 * score): centre, width and height in pixels of the input, then a score for each name.
 */
function readCandidates(
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
function keepBest(candidates: readonly Candidate[], allowed: number): Candidate[] {
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
