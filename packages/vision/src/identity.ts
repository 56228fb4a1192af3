import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { checkKernels } from "@product-search/kernels";
import { descriptorDimensions, identifyWeights } from "./descriptor/weights.ts";

/** The weights are part of this package. The service is bundled, so they are not found beside this file. */
export const shippedWeights = join(
  dirname(createRequire(import.meta.url).resolve("@product-search/vision/package.json")),
  "weights",
);

/** The files of weights in a folder. An evaluation has its own, but always with the shipped network. */
export function weightsFiles(folder = shippedWeights) {
  return {
    small: join(folder, "small.bin"),
    joined: join(folder, "joined.bin"),
    cells: join(folder, "cells.bin"),
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
  // Else the first image would be the first to notice, in a thread of its own.
  checkKernels("images");
  return { id: identifyWeights(readShipped(small), small), dimensions: descriptorDimensions };
}

/** The same of the built-in model. */
export function identifyBuiltInModel(folder = shippedWeights): ModelIdentity {
  const { network, joined, cells } = weightsFiles(folder);
  const parts = [
    identifySmallModel(folder).id,
    readChecked(readShipped(network), "network", network).digest,
    readChecked(readShipped(joined), "joined", joined).digest,
  ];
  // Detection loads them later. They are not part of the identity: no vector depends on them.
  readChecked(readShipped(cells), "cells", cells);
  const digest = createHash("sha256").update(parts.join()).digest("hex");
  return { id: `joined-1-${digest.slice(0, 12)}`, dimensions: descriptorDimensions };
}

function readShipped(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${file} cannot be read. Restore it from the repository.`, { cause });
  }
}

/** What the files of the network's weights, of the joined weights and of those of cells begin with. */
export const magics = { network: "PSLITE0\0", joined: "PSJOINED", cells: "PSCELLS\0" } as const;
export const headerBytes = 40;

export function writeHeader(kind: keyof typeof magics, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(magics[kind], "latin1"), createHash("sha256").update(body).digest()]);
}

/** What follows the header, and its SHA-256. Throws an error that names `source` if the bytes are something else or damaged. */
export function readChecked(
  bytes: Buffer,
  kind: keyof typeof magics,
  source: string,
): { digest: string; body: Buffer } {
  if (bytes.toString("latin1", 0, 8) !== magics[kind])
    throw refuseFile(source, `is not a file of ${kind} weights`);
  const body = bytes.subarray(headerBytes);
  const digest = createHash("sha256").update(body).digest();
  if (!digest.equals(bytes.subarray(8, headerBytes)))
    throw refuseFile(source, "is damaged or incomplete: its checksum does not match");
  return { digest: digest.toString("hex"), body };
}

export function refuseFile(source: string, fault: string): Error {
  return new Error(
    `${source} ${fault}. Restore it from the repository or write it anew (see MODEL_CARD.md).`,
  );
}
