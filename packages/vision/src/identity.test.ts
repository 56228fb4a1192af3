import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadBuiltInModel } from "./built-in-model.ts";
import { identifyWeights } from "./descriptor/weights-header.ts";
import { identifyBuiltInModel, weightsFile } from "./identity.ts";

it("names the model that is loaded", () => {
  const { id, dimensions } = loadBuiltInModel();
  expect(identifyBuiltInModel()).toEqual({ id, dimensions });
});

it("refuses damaged weights", () => {
  const bytes = readFileSync(weightsFile);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  expect(() => identifyWeights(bytes, "the file")).toThrow("the file is damaged");
});
