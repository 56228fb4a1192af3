import { expect, it, vi } from "vitest";
import { loadVisionModel } from "../../src/index.ts";

vi.mock("onnxruntime-node", () => {
  throw new Error("Cannot find package");
});

it("names the package to install if the runtime is missing", async () => {
  await expect(loadVisionModel({ encoder: "/nowhere/model.onnx" })).rejects.toThrow(
    "pnpm add -w onnxruntime-node@1.30.0",
  );
});
