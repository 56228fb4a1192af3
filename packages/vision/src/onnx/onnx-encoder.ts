import { createHash } from "node:crypto";
import { unitLength } from "../descriptor/compress-patches.ts";
import { decoding, type OpenedImage, threeChannels } from "../image/open-image.ts";
import type { OnnxRuntime, OnnxTensor } from "./onnx-runtime.ts";
import { OnnxSettings } from "./onnx-settings.ts";
import { fillInput, inputShape, openOnnxModel } from "./open-onnx-model.ts";

const knownSettings = ["size", "mean", "std", "fit", "output", "pooling", "weight"];

export interface OnnxEncoder {
  readonly id: string;
  readonly dimensions: number;
  /** How much its vector counts beside the built-in one, which counts 1. */
  readonly weight: number;
  encode(image: OpenedImage): Promise<Float32Array>;
}

/** An image encoder from a file. It runs once on an empty image, so that errors show at the start. */
export async function loadOnnxEncoder(runtime: OnnxRuntime, file: string): Promise<OnnxEncoder> {
  const settings = new OnnxSettings(file, knownSettings);
  const mean = settings.channels("mean");
  const deviation = settings.channels("std", { above: 0 });
  const weight = settings.number("weight", { from: 0.1, to: 10 }) ?? 1;
  const fit = settings.choice("fit", ["cover", "contain", "fill"], "cover");
  const pooling = settings.choice("pooling", ["none", "first", "mean"], "none");
  const wanted = settings.text("output");
  const model = await openOnnxModel(runtime, file, settings.number("size", { from: 16, to: 2048 }));
  const run = async (rgb: Uint8Array) => {
    const outputs = await model.session.run(fillInput(rgb, model.layout, mean, deviation), inputShape(model));
    return pooled(chooseOutput(outputs, wanted, file), pooling, file);
  };
  const { length } = await run(new Uint8Array(model.width * model.height * 3));
  const settingsDigest = createHash("sha256").update(settings.source).digest("hex").slice(0, 6);
  return {
    id: `${model.digest}-${settingsDigest}`,
    dimensions: length,
    weight,
    async encode(image) {
      const resized = image.pixels().resize(model.width, model.height, { fit, background: "#ffffff" });
      const pixels = await decoding(() =>
        resized.flatten().raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true }),
      );
      return unitLength(await run(threeChannels(pixels.data, pixels.info.channels)));
    },
  };
}

function chooseOutput(
  outputs: Record<string, OnnxTensor>,
  choice: string | undefined,
  file: string,
): OnnxTensor {
  const names = Object.keys(outputs);
  const name = choice ?? (names.length === 1 ? names[0] : undefined);
  const output = name === undefined ? undefined : outputs[name];
  if (output !== undefined) return output;
  const problem =
    choice === undefined ? `has ${names.length} float32 outputs` : `has no float32 output "${choice}"`;
  throw new Error(`${file} ${problem}; set "output" to one of: ${names.join(", ")}.`);
}

/** One vector from [1, length], or from [1, tokens, length] by the pooling in the settings. */
function pooled({ data, shape }: OnnxTensor, pooling: "none" | "first" | "mean", file: string): Float32Array {
  const [batch, tokens = 0, length = 0] = shape;
  const refuse = (remedy: string) =>
    new Error(`${file} gives a tensor of shape [${shape.join(", ")}]; ${remedy}.`);
  if (batch !== 1) throw refuse("the first dimension must be 1, for one image");
  if (data.some((value) => !Number.isFinite(value)))
    throw new Error(`${file} gives numbers that are not finite.`);
  const flat = shape.slice(1).filter((dimension) => dimension !== 1).length <= 1;
  if (flat && pooling === "none" && data.length > 1) return data;
  if (shape.length !== 3) throw refuse('"output" must name one of shape [1, length] or [1, tokens, length]');
  if (pooling === "none") throw refuse('set "pooling" to "first" or "mean", or "output" to a pooled one');
  if (pooling === "first") return data.slice(0, length);
  const mean = new Float32Array(length);
  for (let at = 0; at < data.length; at++)
    mean[at % length] = (mean[at % length] ?? 0) + (data[at] ?? 0) / tokens;
  return mean;
}
