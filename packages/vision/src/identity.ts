import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { descriptorDimensions, identifyWeights } from "./descriptor/weights-header.ts";
import { readChecked } from "./learned/file-header.ts";

/** The weights are part of this package. The service is bundled, so they are not found beside this file. */
export const shippedWeights = join(
  dirname(createRequire(import.meta.url).resolve("@product-search/vision/package.json")),
  "weights",
);

/** The files of weights in a folder. An evaluation has its own, but always with the shipped network. */
export function weightsFiles(folder = shippedWeights): { small: string; joined: string; network: string } {
  return {
    small: join(folder, "small.bin"),
    joined: join(folder, "joined.bin"),
    network: join(shippedWeights, "lite0.bin"),
  };
}

/** Instead of an encoder's path: the small model alone. */
export const smallModel = "small";

interface ModelIdentity {
  readonly id: string;
  readonly dimensions: number;
}

/** What the small model is, without the code and the memory to run it. Throws if its weights are missing or damaged. */
export function identifySmallModel(folder = shippedWeights): ModelIdentity {
  const { small } = weightsFiles(folder);
  return { id: identifyWeights(readFileSync(small), small), dimensions: descriptorDimensions };
}

/** The same of the built-in model. */
export function identifyBuiltInModel(folder = shippedWeights): ModelIdentity {
  const { network, joined } = weightsFiles(folder);
  const parts = [
    identifySmallModel(folder).id,
    readChecked(readFileSync(network), "network", network).digest,
    readChecked(readFileSync(joined), "joined", joined).digest,
  ];
  const digest = createHash("sha256").update(parts.join()).digest("hex");
  return { id: `joined-1-${digest.slice(0, 12)}`, dimensions: descriptorDimensions };
}
