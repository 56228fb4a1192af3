import { createHash } from "node:crypto";
import { threeChannels } from "../image/decode-image.ts";
import { decoding, type OpenedImage } from "../image/open-image.ts";
import { detectedObject } from "../objects/detect-objects.ts";
import type { DetectedObject } from "../vision-model.ts";
import type { OnnxRuntime } from "./onnx-runtime.ts";
import { OnnxSettings } from "./onnx-settings.ts";
import { fillInput, inputShape, openOnnxModel } from "./open-onnx-model.ts";
import { keepBest, readCandidates } from "./yolo-boxes.ts";

const knownSettings = ["size", "names", "confidence", "overlap"];
const noShift = [0, 0, 0] as const;
const noScale = [1, 1, 1] as const;
/** The grey of the margins that YOLO models are trained with. */
const margin = "#727272";

export interface OnnxDetector {
  readonly id: string;
  detect(image: OpenedImage): Promise<DetectedObject[]>;
}

/** A YOLO-style detector from a file. It runs once on an empty image, so that errors show at the start. */
export async function loadOnnxDetector(runtime: OnnxRuntime, file: string): Promise<OnnxDetector> {
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
