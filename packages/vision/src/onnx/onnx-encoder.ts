import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { unitLength } from "../descriptor/compress-patches.ts";
import { decoding, type OpenedImage, threeChannels } from "../image/open-image.ts";
import type { OnnxRuntime, OnnxSession, OnnxTensor } from "./onnx-runtime.ts";

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

/** The path of the settings file next to a model: `.json` instead of `.onnx`. */
export function settingsFile(model: string): string {
  return `${model.replace(/\.onnx$/, "")}.json`;
}

/** Reads all settings of the file. Each is checked by its rule; a setting without a rule is refused. */
export class OnnxSettings {
  readonly file: string;
  readonly source: string;
  readonly #values: Map<string, unknown>;

  constructor(model: string, names: readonly string[]) {
    this.file = settingsFile(model);
    this.source = readText(this.file);
    this.#values = new Map(Object.entries(parseObject(this.source, this.file)));
    for (const name of this.#values.keys()) {
      if (!names.includes(name))
        throw new Error(`${this.file}: "${name}" is no setting; known are ${names.join(", ")}.`);
    }
  }

  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.#values.get(name);
    if (value === undefined) return otherwise;
    const chosen = allowed.find((one) => one === value);
    if (chosen === undefined) throw this.#wrong(name, `one of ${allowed.join(", ")}`);
    return chosen;
  }

  number(name: string, { from, to }: { from: number; to: number }): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !(value >= from && value <= to)) {
      throw this.#wrong(name, `a number from ${from} to ${to}`);
    }
    return value;
  }

  /** Three numbers, for red, green and blue. */
  channels(name: string, { above = -Infinity } = {}): readonly [number, number, number] {
    const value = this.#values.get(name);
    if (Array.isArray(value) && value.length === 3) {
      const [red, green, blue]: unknown[] = value;
      const isFit = (one: unknown): one is number => typeof one === "number" && one > above;
      if (isFit(red) && isFit(green) && isFit(blue)) return [red, green, blue];
    }
    throw this.#wrong(
      name,
      `three numbers${above === -Infinity ? "" : ` above ${above}`}, for red, green and blue`,
    );
  }

  names(name: string): readonly string[] {
    const value = this.#values.get(name);
    if (!Array.isArray(value) || value.length === 0) throw this.#wrong(name, "a list of at least one name");
    return value.map((one: unknown) => {
      if (typeof one !== "string" || one.trim() === "")
        throw this.#wrong(name, "a list of names, none of them empty");
      return one;
    });
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value !== undefined && typeof value !== "string") throw this.#wrong(name, "a text");
    return value;
  }

  #wrong(name: string, expected: string): Error {
    const value = this.#values.get(name);
    const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
    return new Error(`${this.file}: "${name}" ${found}; it must be ${expected}.`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(
      `${file} cannot be read; a model needs this settings file beside it (see docs/vision-models.md).`,
      {
        cause,
      },
    );
  }
}

function parseObject(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON; write one object with the model's settings.`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${file} must hold one JSON object with the model's settings.`);
}

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
