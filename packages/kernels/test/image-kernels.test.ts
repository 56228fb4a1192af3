import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { instantiateKernels } from "../src/index.ts";

describe("convolutions in whole numbers", () => {
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 4 });
  const kernels = instantiateKernels("images", memory, ["convolvePixels", "convolveChannels", "addNumbers"]);
  const places = {
    weights: 65_536,
    factors: 81_920,
    summands: 86_016,
    offsets: 90_112,
    from: 98_304,
    to: 131_072,
  };
  const numbers = (at: number, length: number) => new Int16Array(memory.buffer, at, length);

  /** Fills the tables with numbers of every sign, and returns them. `inputs` are those of one output. */
  function fill(inputs: number, outputs: number, activations: number) {
    const weights = new Int8Array(memory.buffer, places.weights, outputs * inputs);
    const factors = new Float32Array(memory.buffer, places.factors, outputs);
    const summands = new Float32Array(memory.buffer, places.summands, outputs);
    const from = numbers(places.from, activations);
    for (let i = 0; i < weights.length; i++) weights[i] = ((i * 37) % 255) - 127;
    for (let i = 0; i < outputs; i++) {
      factors[i] = 0.001 * (i + 1);
      summands[i] = 10 * (i - 3);
    }
    for (let i = 0; i < from.length; i++) from[i] = ((i * 7919) % 24_001) - 12_000;
    /** Eight outputs by two inputs lie together. */
    const weightOf = (output: number, input: number) =>
      weights[(output >> 3) * 8 * inputs + (input >> 1) * 16 + (output & 7) * 2 + (input & 1)] ?? 0;
    const finish = (sum: number, output: number, least: number, most: number) => {
      const exact = Math.fround(Math.fround(sum) * (factors[output] ?? 0));
      const shifted = Math.fround(exact + (summands[output] ?? 0));
      const rounded = Math.abs(shifted % 1) === 0.5 ? 2 * Math.round(shifted / 2) : Math.round(shifted);
      return Math.min(most, Math.max(least, rounded));
    };
    return { from, weightOf, finish };
  }

  it.each([
    [4, 2, 8],
    [8, 28, 16],
    [12, 40, 24],
  ])("of %i pixels alone, %i channels to %i", (pixels, inputs, outputs) => {
    const { from, weightOf, finish } = fill(inputs, outputs, pixels * inputs);
    const { weights, factors, summands, to } = places;
    kernels.convolvePixels(
      from.byteOffset,
      weights,
      factors,
      summands,
      to,
      pixels,
      inputs,
      outputs,
      0,
      12_288,
    );
    const expected = [];
    for (let pixel = 0; pixel < pixels; pixel++) {
      for (let output = 0; output < outputs; output++) {
        let sum = 0;
        for (let input = 0; input < inputs; input++)
          sum += (from[pixel * inputs + input] ?? 0) * weightOf(output, input);
        expected.push(finish(sum, output, 0, 12_288));
      }
    }
    expect([...numbers(to, pixels * outputs)]).toEqual(expected);
  });

  it.each([
    [3, 1, 4],
    [3, 2, 3],
    [5, 1, 2],
  ])("of channels alone, %i pixels wide, every %i. one, to %i rows", (kernel, stride, side) => {
    const channels = 16;
    const width = (side - 1) * stride + kernel;
    const taps = kernel * kernel + 1;
    const { from, weightOf, finish } = fill(taps, channels, width * width * channels);
    const weightsOfLast = new Int8Array(memory.buffer, places.weights, channels * taps);
    for (let channel = 0; channel < channels; channel++)
      weightsOfLast[(channel >> 3) * 8 * taps + ((taps - 1) >> 1) * 16 + (channel & 7) * 2 + 1] = 0;
    const offsets = new Uint32Array(memory.buffer, places.offsets, taps);
    const placeOf = (tap: number) => (Math.floor(tap / kernel) * width + (tap % kernel)) * channels;
    for (let tap = 0; tap < taps - 1; tap++) offsets[tap] = 2 * placeOf(tap);
    const { weights, factors, summands, to } = places;
    const tables = [weights, factors, summands, to, places.offsets];
    kernels.convolveChannels(
      from.byteOffset,
      ...tables,
      taps,
      channels,
      width,
      side,
      stride,
      -32_768,
      32_767,
    );
    const expected = [];
    for (let place = 0; place < side * side; place++) {
      const start = (Math.floor(place / side) * width + (place % side)) * stride * channels;
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let tap = 0; tap < taps - 1; tap++)
          sum += (from[start + placeOf(tap) + channel] ?? 0) * weightOf(channel, tap);
        expected.push(finish(sum, channel, -32_768, 32_767));
      }
    }
    expect([...numbers(to, side * side * channels)]).toEqual(expected);
  });

  it("adds numbers, and keeps sums within 16 bits", () => {
    const [to, from] = [numbers(places.to, 8), numbers(places.from, 8)];
    to.set([1, 2, 3, 4, 32_000, -32_000, 0, -1]);
    from.set([1, 1, 1, 1, 32_000, -32_000, 5, 1]);
    kernels.addNumbers(to.byteOffset, from.byteOffset, 8);
    expect([...to]).toEqual([2, 3, 4, 5, 32_767, -32_768, 5, 0]);
  });
});

describe("built", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));

  it.each(["images", "texts"])("is the build of the files in assembly: %s", (set) => {
    const folder = mkdtempSync(join(tmpdir(), "kernels-"));
    try {
      const out = join(folder, "kernels.wasm");
      execFileSync("pnpm", ["run", set, "--outFile", out], { cwd: root, stdio: "pipe" });
      expect(readFileSync(out).equals(readFileSync(join(root, "built", `${set}.wasm`)))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
