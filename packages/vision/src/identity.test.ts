import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { loadBuiltInModel, loadSmallModel } from "./built-in-model.ts";
import { identifyWeights } from "./descriptor/weights.ts";
import { identifyBuiltInModel, identifySmallModel, weightsFiles } from "./identity.ts";

it.each([
  ["built-in", loadBuiltInModel, identifyBuiltInModel],
  ["small", loadSmallModel, identifySmallModel],
])("names the model that is loaded: the %s one", (_, load, identify) => {
  const { id, dimensions } = load();
  expect(identify()).toEqual({ id, dimensions });
});

it("refuses damaged weights", () => {
  const bytes = readFileSync(weightsFiles().small);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  expect(() => identifyWeights(bytes, "the file")).toThrow("the file is damaged");
});

it("names a file that is missing, and loads the small model without those of the network", () => {
  const folder = mkdtempSync(join(tmpdir(), "weights-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(weightsFiles().small, weightsFiles(folder).small);
  expect(() => identifyBuiltInModel(folder)).toThrow(/joined\.bin cannot be read\. Restore it/);
  expect(identifySmallModel(folder)).toEqual(identifySmallModel());
  copyFileSync(weightsFiles().joined, weightsFiles(folder).joined);
  expect(() => identifyBuiltInModel(folder)).toThrow(/cells\.bin cannot be read\. Restore it/);
});

it.each([identifyBuiltInModel, identifySmallModel])("says that a processor has no SIMD: %o", (identify) => {
  const validate = vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
  onTestFinished(() => validate.mockRestore());
  expect(() => identify()).toThrow(/images\.wasm cannot be compiled\..*SIMD for WebAssembly/);
});
