import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createKernels } from "../src/descriptor/compress-patches.ts";
import { decodeWeights, encodeWeights } from "../src/descriptor/weights.ts";
import { decodeJoining, decodeNetwork, encodeJoining } from "../src/learned/learned-encoder.ts";
import { decodeCells, encodeCells } from "../src/objects/cells.ts";

const shipped = readFileSync(new URL("../weights/small.bin", import.meta.url));

describe("the small model's weights", () => {
  it("are read back as they were written", () => {
    expect(encodeWeights(decodeWeights(shipped, "shipped")).equals(shipped)).toBe(true);
  });

  it("take at most 4 MB", () => {
    expect(shipped.length).toBeLessThanOrEqual(4_000_000);
  });

  it("are refused if a bit is flipped", () => {
    const damaged = Buffer.from(shipped);
    damaged.writeUInt8(damaged.readUInt8(1_000_000) ^ 1, 1_000_000);
    expect(() => decodeWeights(damaged, "the file")).toThrow(
      "the file is damaged: its checksum does not match",
    );
  });

  it("are refused if truncated", () => {
    expect(() => decodeWeights(shipped.subarray(0, 2_000_000), "the file")).toThrow("2000000 bytes");
    expect(() => decodeWeights(shipped.subarray(0, 20), "the file")).toThrow("is not a weights file");
  });

  it("are refused if trained for another recipe", () => {
    const other = Buffer.from(shipped);
    other.writeUInt32LE(99, 8);
    expect(() => decodeWeights(other, "the file")).toThrow("is for recipe 99");
  });
});

const lite0 = readFileSync(new URL("../weights/lite0.bin", import.meta.url));
const joined = readFileSync(new URL("../weights/joined.bin", import.meta.url));
const cells = readFileSync(new URL("../weights/cells.bin", import.meta.url));

describe("the built-in model's weights", () => {
  it("are read back as they were written", () => {
    expect(encodeJoining(decodeJoining(joined, "shipped")).equals(joined)).toBe(true);
    expect(encodeCells(decodeCells(cells, "shipped")).equals(cells)).toBe(true);
  });

  it("take at most 9 MB together", () => {
    expect(shipped.length + lite0.length + joined.length + cells.length).toBeLessThanOrEqual(9_000_000);
  });

  it.each([
    ["the network's", lite0, decodeNetwork],
    ["the joined", joined, decodeJoining],
    ["those of cells", cells, decodeCells],
  ])("are refused if damaged, truncated or something else: %s", (_, bytes, decode) => {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(10_000) ^ 1, 10_000);
    expect(() => decode(damaged, "the file")).toThrow("the file is damaged or incomplete");
    expect(() => decode(bytes.subarray(0, 9000), "the file")).toThrow("the file is damaged or incomplete");
    expect(() => decode(Buffer.from("nothing"), "the file")).toThrow("the file is not a file of");
  });
});

describe("matrix product", () => {
  it.each([
    [1, 1, 4],
    [3, 5, 8],
    [7, 4, 128],
  ])("multiplies %i rows with %i columns of %i numbers", (rows, columns, inner) => {
    const kernels = createKernels(2000);
    const a = kernels.allocate(rows * inner);
    const b = kernels.allocate(columns * inner);
    const c = kernels.allocate(rows * columns);
    for (let i = 0; i < a.length; i++) a[i] = Math.sin(i);
    for (let i = 0; i < b.length; i++) b[i] = Math.cos(3 * i);
    kernels.multiplyTransposed(a, b, c, { rows, columns, inner });
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        let expected = 0;
        for (let i = 0; i < inner; i++) expected += (a[row * inner + i] ?? 0) * (b[column * inner + i] ?? 0);
        expect(c[row * columns + column]).toBeCloseTo(expected, 4);
      }
    }
  });
});
