import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { OnnxRuntime, OnnxSession } from "./onnx-runtime.ts";

export interface OpenedModel {
  readonly session: OnnxSession;
  readonly layout: "NCHW" | "NHWC";
  readonly width: number;
  readonly height: number;
  /** SHA-256 of the model's file, shortened. */
  readonly digest: string;
}

/** Opens a model whose only input is one image of three channels in single precision. Other models are refused. */
export async function openOnnxModel(
  runtime: OnnxRuntime,
  file: string,
  size: number | undefined,
): Promise<OpenedModel> {
  const digest = createHash("sha256").update(readModel(file)).digest("hex").slice(0, 12);
  const session = await openSession(runtime, file);
  const [input, ...more] = session.inputs;
  if (input === undefined || more.length > 0) {
    const names = session.inputs.map(({ name }) => name).join(", ");
    throw new Error(
      `${file} has ${session.inputs.length} inputs (${names}); export the part that takes one image only.`,
    );
  }
  if (input.type !== "float32") {
    throw new Error(`${file}: input "${input.name}" is ${input.type}; export the model with float32 inputs.`);
  }
  const shape = `[${input.shape.map((dimension) => dimension ?? "?").join(", ")}]`;
  const [, a, b, c] = input.shape;
  const layout = a === 3 ? "NCHW" : c === 3 ? "NHWC" : undefined;
  if (input.shape.length !== 4 || layout === undefined) {
    throw new Error(
      `${file}: input "${input.name}" has shape ${shape}; it must be [1, 3, height, width] or [1, height, width, 3].`,
    );
  }
  const [height, width] = layout === "NCHW" ? [b, c] : [a, b];
  const chosen = { height: height ?? size, width: width ?? size };
  if (chosen.height === undefined || chosen.width === undefined) {
    throw new Error(
      `${file}: input "${input.name}" has shape ${shape}, which leaves the size open; add "size" to its settings.`,
    );
  }
  if (size !== undefined && (chosen.height !== size || chosen.width !== size)) {
    throw new Error(
      `${file}: input "${input.name}" has shape ${shape}, but its settings say "size": ${size}; remove that.`,
    );
  }
  return { session, layout, height: chosen.height, width: chosen.width, digest };
}

function readModel(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`The model ${file} cannot be read; name an ONNX file that exists.`, { cause });
  }
}

async function openSession(runtime: OnnxRuntime, file: string): Promise<OnnxSession> {
  try {
    return await runtime.open(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} is not a model that ONNX Runtime can run: ${reason}`, { cause });
  }
}

/** Writes eight-bit pixels in the input format of the model. */
export function fillInput(
  rgb: Uint8Array,
  layout: OpenedModel["layout"],
  mean: readonly [number, number, number],
  deviation: readonly [number, number, number],
): Float32Array {
  const pixels = rgb.length / 3;
  const input = new Float32Array(rgb.length);
  for (let channel = 0; channel < 3; channel++) {
    const scale = 1 / (255 * (deviation[channel] ?? 1));
    const shift = -(mean[channel] ?? 0) / (deviation[channel] ?? 1);
    const [start, step] = layout === "NCHW" ? [channel * pixels, 1] : [channel, 3];
    for (let pixel = 0; pixel < pixels; pixel++) {
      input[start + pixel * step] = (rgb[pixel * 3 + channel] ?? 0) * scale + shift;
    }
  }
  return input;
}

export function inputShape({ layout, height, width }: OpenedModel): readonly number[] {
  return layout === "NCHW" ? [1, 3, height, width] : [1, height, width, 3];
}
