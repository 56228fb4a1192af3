import { loadBuiltInModel } from "./built-in-model.ts";
import { openImage } from "./image/open-image.ts";
import { loadOnnxDetector } from "./onnx/onnx-detector.ts";
import { loadOnnxEncoder } from "./onnx/onnx-encoder.ts";
import { loadOnnxRuntime, type OnnxRuntime } from "./onnx/onnx-runtime.ts";
import type { VisionModel } from "./vision-model.ts";

export interface LearnedModelFiles {
  /** Path of an ONNX image encoder, with its settings file next to it: see docs/vision-models.md. */
  readonly encoder?: string | undefined;
  /** Path of a YOLO-style detector, in the same form. */
  readonly detector?: string | undefined;
}

/**
 * The built-in model, joined with learned models if files are named. A learned encoder does not replace the built-in
 * descriptor but is joined to it: together they find more than either. If a file, its settings or the runtime is missing
 * or unsuitable, it rejects with a message that says what to do. Load once per thread, at start.
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
    // A detector finds other boxes but does not change vectors, and the id identifies vectors only.
    id: encoder === undefined ? builtIn.id : `${builtIn.id}+${encoder.id}`,
    dimensions: builtIn.dimensions + (encoder?.dimensions ?? 0),
    async describe(bytes, signal) {
      const base = await builtIn.describe(bytes, signal);
      if (encoder === undefined) return base;
      signal?.throwIfAborted();
      const learned = await encoder.encode(await openImage(bytes));
      return joined(base, learned, encoder.weight);
    },
    async detect(bytes, signal) {
      if (detector === undefined) return builtIn.detect(bytes, signal);
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
