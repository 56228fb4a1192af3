import { loadBuiltInModel } from "./built-in-model.ts";
import { openImage } from "./image/open-image.ts";
import { loadOnnxDetector } from "./onnx/onnx-detector.ts";
import { loadOnnxEncoder } from "./onnx/onnx-encoder.ts";
import { loadOnnxRuntime, type OnnxRuntime } from "./onnx/onnx-runtime.ts";
import type { VisionModel } from "./vision-model.ts";

export interface LearnedModelFiles {
  /** An image encoder as an ONNX file, with its settings beside it: see LEARNED_MODELS.md. */
  readonly encoder?: string | undefined;
  /** A YOLO-style detector, likewise. */
  readonly detector?: string | undefined;
}

/** Each half of a joined vector has this length, so that the whole has length 1. */
const halfLength = Math.SQRT1_2;

/**
 * The built-in model, with learned ones on top where files are named. A learned encoder does not replace the built-in
 * descriptor but is joined to it: together they find more than either. Rejects with what is wrong and what to do when a
 * file, its settings or the runtime is missing or unfit, so load at start, once for each thread.
 */
export async function loadVisionModel(
  { encoder: encoderFile, detector: detectorFile }: LearnedModelFiles,
  openRuntime: () => Promise<OnnxRuntime> = loadOnnxRuntime,
): Promise<VisionModel> {
  const builtIn = loadBuiltInModel();
  if (encoderFile === undefined && detectorFile === undefined) return builtIn;
  const runtime = await openRuntime();
  const encoder = encoderFile === undefined ? undefined : await loadOnnxEncoder(runtime, encoderFile);
  const detector = detectorFile === undefined ? undefined : await loadOnnxDetector(runtime, detectorFile);
  return {
    // A detector finds other boxes but changes no vector, and the id speaks of vectors only.
    id: encoder === undefined ? builtIn.id : `${builtIn.id}+${encoder.id}`,
    dimensions: builtIn.dimensions + (encoder?.dimensions ?? 0),
    async describe(bytes, signal) {
      const base = await builtIn.describe(bytes, signal);
      if (encoder === undefined) return base;
      signal?.throwIfAborted();
      const learned = await encoder.encode(await openImage(bytes));
      return Float32Array.from([...base, ...learned], (value) => value * halfLength);
    },
    async detect(bytes, signal) {
      if (detector === undefined) return builtIn.detect(bytes, signal);
      const image = await openImage(bytes);
      signal?.throwIfAborted();
      return detector.detect(image);
    },
  };
}
