import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { descriptorDimensions, identifyWeights } from "./descriptor/weights-header.ts";

/** Its weights, which are part of this package. */
export const weightsFile = fileURLToPath(new URL("../weights/built-in.bin", import.meta.url));

/** What the built-in model is, without the code and the memory to run it. Throws if its weights are missing or damaged. */
export function identifyBuiltInModel(): { id: string; dimensions: number } {
  return { id: identifyWeights(readFileSync(weightsFile), weightsFile), dimensions: descriptorDimensions };
}
