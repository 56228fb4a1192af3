import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadBuiltInModel, loadSmallModel, loadVisionModel } from "../../src/index.ts";
import { loadOnnxRuntime, type OnnxRuntime } from "../../src/onnx/onnx-runtime.ts";
import { circleShape, drawing, solid } from "../images.ts";
import { tinyRuntime } from "./tiny-runtime.ts";

/** Writes the few parts of an ONNX file (github.com/onnx/onnx, onnx.proto) that small test models need. */
interface TestModel {
  readonly inputs: readonly TestValue[];
  readonly constants?: readonly TestTensor[];
  readonly nodes: readonly {
    readonly op: string;
    readonly inputs: readonly string[];
    readonly output: string;
  }[];
  readonly outputs: readonly TestValue[];
}

/** A text in the shape is a dynamic dimension. */
interface TestValue {
  readonly name: string;
  readonly shape: readonly (number | string)[];
  readonly type?: "float32" | "float16";
}

interface TestTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

const float = 1;
const float16Type = 10;

function writeOnnx({ inputs, constants = [], nodes, outputs }: TestModel): Buffer {
  const graph = [
    ...nodes.map(({ op, inputs: from, output }) =>
      field(1, [...from.map((name) => field(1, name)), field(2, output), field(4, op)]),
    ),
    field(2, "test"),
    ...constants.map(({ name, shape, data }) =>
      field(5, [
        ...shape.map((size) => field(1, size)),
        field(2, float),
        field(8, name),
        field(9, Buffer.from(Float32Array.from(data).buffer)),
      ]),
    ),
    ...inputs.map((value) => field(11, valueInfo(value))),
    ...outputs.map((value) => field(12, valueInfo(value))),
  ];
  return Buffer.concat([field(1, 8), field(7, graph), field(8, [field(2, 13)])]);
}

function valueInfo({ name, shape, type }: TestValue): Buffer[] {
  const dimensions = shape.map((size) =>
    field(1, [typeof size === "number" ? field(1, size) : field(2, size)]),
  );
  const tensor = [field(1, type === "float16" ? float16Type : float), field(2, dimensions)];
  return [field(1, name), field(2, [field(1, tensor)])];
}

/** One protobuf field: numbers as varints, everything else with its length first. */
function field(number: number, value: number | string | Buffer | readonly Buffer[]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes =
    typeof value === "string" || Buffer.isBuffer(value) ? Buffer.from(value) : Buffer.concat(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

const imageInput: TestValue = { name: "pixels", shape: [1, 3, 8, 8] };
const plainSettings = { mean: [0, 0, 0], std: [1, 1, 1] };

/** The mean colour of the image. */
const encoder = (input: TestValue = imageInput): TestModel => ({
  inputs: [input],
  nodes: [
    { op: "GlobalAveragePool", inputs: ["pixels"], output: "pooled" },
    { op: "Flatten", inputs: ["pooled"], output: "embedding" },
  ],
  outputs: [{ name: "embedding", shape: [1, 3] }],
});

/** Gives the same numbers for every image. */
const constant = (shape: readonly number[], data: readonly number[]): TestModel => ({
  inputs: [imageInput],
  constants: [{ name: "answer", shape, data }],
  nodes: [{ op: "Identity", inputs: ["answer"], output: "out" }],
  outputs: [{ name: "out", shape }],
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "onnx-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function save(model: TestModel | Buffer, settings?: unknown): string {
  const file = join(folder, "model.onnx");
  writeFileSync(file, Buffer.isBuffer(model) ? model : writeOnnx(model));
  if (settings !== undefined) writeFileSync(join(folder, "model.json"), JSON.stringify(settings));
  return file;
}

const installed = await loadOnnxRuntime().catch(() => undefined);
const runtimes: [string, OnnxRuntime][] = [["the tests' own runtime", tinyRuntime]];
if (installed !== undefined) runtimes.push(["ONNX Runtime", installed]);

describe.each(runtimes)("on %s", (_, runtime) => {
  const load = (files: { encoder?: string; detector?: string }) =>
    loadVisionModel(files, async () => runtime);

  it("joins the learned vector and that of the small model with equal weight", async () => {
    const model = await load({ encoder: save(encoder(), plainSettings) });
    const image = await solid(50, 40, "#ff8000").png().toBuffer();
    const vector = await model.describe(image);
    expect(model.dimensions).toBe(387);
    expect(vector).toHaveLength(387);
    const small = await loadSmallModel().describe(image);
    expect(vector[5]).toBeCloseTo((small[5] ?? 0) * Math.SQRT1_2, 5);
    const [red = 0, green = 0, blue = 0] = vector.subarray(384);
    expect(Math.hypot(red, green, blue)).toBeCloseTo(Math.SQRT1_2, 5);
    expect(green / red).toBeCloseTo(128 / 255, 2);
    expect(blue).toBeCloseTo(0, 2);
  });

  it("joins them by the weight in the settings", async () => {
    const model = await load({ encoder: save(encoder(), { ...plainSettings, weight: 3 }) });
    const vector = await model.describe(await solid(50, 40, "#ff8000").png().toBuffer());
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(Math.hypot(...vector.subarray(384)) / Math.hypot(...vector.subarray(0, 384))).toBeCloseTo(3, 4);
  });

  it("applies mean and deviation, and reads the size from the settings if it is dynamic in the model", async () => {
    const open = encoder({ ...imageInput, shape: ["batch", 3, "height", "width"] });
    const model = await load({ encoder: save(open, { mean: [1, 0, 0], std: [0.5, 1, 1], size: 16 }) });
    const [red = 0, green = 0, blue = 0] = (
      await model.describe(await solid(20, 20, "#0000ff").png().toBuffer())
    ).subarray(384);
    expect(red / blue).toBeCloseTo(-2, 2);
    expect(green).toBeCloseTo(0, 2);
  });

  it("pools tokens as configured", async () => {
    const tokens = constant([1, 2, 2], [3, 4, 1, 0]);
    const first = await load({ encoder: save(tokens, { ...plainSettings, pooling: "first" }) });
    const image = await solid(9, 9).png().toBuffer();
    expect((await first.describe(image))[384]).toBeCloseTo(0.6 * Math.SQRT1_2, 5);
    const mean = await load({ encoder: save(tokens, { ...plainSettings, pooling: "mean" }) });
    expect((await mean.describe(image))[384]).toBeCloseTo(Math.SQRT1_2 * Math.SQRT1_2, 5);
    await expect(load({ encoder: save(tokens, plainSettings) })).rejects.toThrow(
      'set "pooling" to "first" or "mean"',
    );
  });

  it("has a different id for each model file and each settings file", async () => {
    const first = await load({ encoder: save(encoder(), plainSettings) });
    const again = await load({ encoder: save(encoder(), plainSettings) });
    const otherSettings = await load({ encoder: save(encoder(), { ...plainSettings, fit: "fill" }) });
    const otherFile = await load({ encoder: save(constant([1, 3], [1, 2, 3]), plainSettings) });
    expect(again.id).toBe(first.id);
    expect(new Set([loadBuiltInModel().id, first.id, otherSettings.id, otherFile.id]).size).toBe(4);
  });

  it("reads the boxes of YOLOv8, drops duplicates and boxes with low confidence, and removes the margins", async () => {
    // One row per field: centre x, centre y, width, height, then a score for each name. Four boxes in an input of 8 × 8.
    const boxes = [
      [2, 2.1, 6, 2],
      [4, 4, 4, 4],
      [2, 2, 2, 2],
      [2, 2, 2, 2],
      [0.9, 0.8, 0.1, 0],
      [0, 0, 0, 0.6],
    ];
    const file = save(constant([1, 6, 4], boxes.flat()), { names: ["hat", "shoe"] });
    const model = await load({ detector: file });
    // 160 × 80 pixels become 8 × 4 with margins of 2 above and below: one pixel of the input is 20 of the image.
    const found = await model.detect(
      await drawing(circleShape, "#a11", "#fff", { width: 160, height: 80 }).png().toBuffer(),
    );
    expect(found.map(({ name, confidence }) => [name, Math.round(confidence * 100)])).toEqual([
      ["hat", 90],
      ["shoe", 60],
    ]);
    expect(found[0]?.box).toEqual({ x: 20, y: 20, width: 40, height: 40 });
    expect(model.id).toBe(loadBuiltInModel().id);
  });

  it("reads the boxes of YOLOv5, whose class scores are multiplied by the objectness score", async () => {
    const file = save(constant([1, 2, 6], [4, 4, 2, 2, 0.5, 0.8, 4, 4, 2, 2, 0.2, 0.9]), { names: ["bag"] });
    const found = await (await load({ detector: file })).detect(await solid(80, 80).png().toBuffer());
    expect(found).toHaveLength(1);
    expect(found[0]?.confidence).toBeCloseTo(0.4, 5);
  });

  it.each<[string, TestModel | Buffer, unknown, string]>([
    [
      "a file that is not a model",
      Buffer.from("hello"),
      plainSettings,
      "is not a model that ONNX Runtime can run",
    ],
    [
      "half-precision inputs",
      { ...constant([1, 3], [1, 2, 3]), inputs: [{ ...imageInput, type: "float16" as const }] },
      plainSettings,
      "export the model with float32 inputs",
    ],
    [
      "a shape that is not that of an image",
      encoder({ ...imageInput, shape: [1, 4, 8, 8] }),
      plainSettings,
      "has shape [1, 4, 8, 8]",
    ],
    [
      "a dynamic size without a setting",
      encoder({ ...imageInput, shape: [1, 3, "h", "w"] }),
      plainSettings,
      'add "size" to its settings',
    ],
    [
      "a size that contradicts the model's",
      encoder(),
      { ...plainSettings, size: 32 },
      '"size": 32; remove that',
    ],
    [
      "two inputs",
      { ...encoder(), inputs: [imageInput, { name: "text", shape: [1, 3, 8, 8] }] },
      plainSettings,
      "has 2 inputs",
    ],
    ["an unknown output", encoder(), { ...plainSettings, output: "x" }, 'set "output" to one of: embedding'],
    ["no settings", encoder(), undefined, "model.json cannot be read"],
    ["settings that are no object", encoder(), [1], "must hold one JSON object"],
    ["an unknown setting", encoder(), { ...plainSettings, crop: 1 }, '"crop" is no setting'],
    [
      "a wrong mean",
      encoder(),
      { ...plainSettings, mean: [1, 2] },
      '"mean" is [1,2]; it must be three numbers',
    ],
    [
      "a deviation of zero",
      encoder(),
      { ...plainSettings, std: [0.5, 0, 0.5] },
      '"std" is [0.5,0,0.5]; it must be three numbers above 0, for red, green and blue',
    ],
    [
      "a weight of zero",
      encoder(),
      { ...plainSettings, weight: 0 },
      '"weight" is 0; it must be a number from 0.1 to 10',
    ],
    [
      "a wrong fit",
      encoder(),
      { ...plainSettings, fit: "crop" },
      '"fit" is "crop"; it must be one of cover, contain, fill',
    ],
  ])("says at start what is wrong with %s", async (_name, model, settings, message) => {
    await expect(load({ encoder: save(model, settings) })).rejects.toThrow(message);
  });

  it("reports at start that a detector's boxes do not fit its names", async () => {
    const file = save(constant([1, 7, 4], new Array(28).fill(0)), { names: ["hat", "shoe"] });
    await expect(load({ detector: file })).rejects.toThrow(
      'with 2 "names" one must be [1, 6, boxes] or [1, boxes, 7]',
    );
  });

  it("reports at start that a file is missing", async () => {
    save(encoder(), plainSettings);
    rmSync(join(folder, "model.onnx"));
    await expect(load({ encoder: join(folder, "model.onnx") })).rejects.toThrow(
      "name an ONNX file that exists",
    );
  });
});

it("is the built-in model if no file is named", async () => {
  expect((await loadVisionModel({})).id).toBe(loadBuiltInModel().id);
});

it("is the small model if its name stands in place of a file", async () => {
  const model = await loadVisionModel({ encoder: "small" });
  const image = await solid(50, 40, "#ff8000").png().toBuffer();
  expect(model.id).toBe(loadSmallModel().id);
  expect(await model.describe(image)).toEqual(await loadSmallModel().describe(image));
});
