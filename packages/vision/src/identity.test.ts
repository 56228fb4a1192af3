import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadBuiltInModel } from "./built-in-model.ts";
import { identifyWeights } from "./descriptor/weights-header.ts";
import { identifyBuiltInModel, identifySmallModel, weightsFiles } from "./identity.ts";
import { loadSmallModel } from "./small-model.ts";

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
