import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeWeights, encodeWeights } from "../src/descriptor/weights.ts";

const shipped = readFileSync(new URL("../weights/built-in.bin", import.meta.url));

describe("weights", () => {
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
