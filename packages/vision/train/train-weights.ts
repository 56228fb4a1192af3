import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Projection, unitLength } from "../src/descriptor/compress-patches.ts";
import { featuresLength, type PatchModel, rasterSide } from "../src/descriptor/features.ts";
import { descriptorDimensions, type Weights } from "../src/descriptor/weights.ts";
import { decodeImage, openImage } from "../src/image/open-image.ts";
import { type Joining, joinedLength, sideBySide } from "../src/learned/learned-encoder.ts";
import { embeddingLength } from "../src/learned/network.ts";
import type { FeatureTask } from "./feature-worker.ts";
import { fitPatchModel, type TransformName } from "./patch-model.ts";
import { fitProjection, type ProjectionRecipe, productWithTransposed } from "./projection.ts";
import { createRandom, type Form, type Photograph } from "./scenes.ts";
import { shareAmongWorkers } from "./share-among-workers.ts";

const seed = 20_261_121;
/** Number of images whose patches are used: enough for a vocabulary, and all of them fit in memory. */
const maxRasters = 3000;
/** The forms in which each image is also used, weighted by how often they still go wrong. */
const imageVariants: readonly { transform: TransformName; weight: number }[] = [
  { transform: "mirrored", weight: 1 },
  { transform: "turned90", weight: 3 },
  { transform: "turned180", weight: 1 },
  { transform: "turned270", weight: 3 },
  { transform: "tilted", weight: 1 },
  { transform: "greyscale", weight: 3 },
  { transform: "cropped", weight: 1 },
  { transform: "padded", weight: 1 },
  { transform: "cluttered", weight: 3 },
  { transform: "warmer", weight: 1 },
];

export interface TrainedWeights {
  readonly small: Omit<Weights, "id">;
  readonly joining: Joining;
}

const smallRecipe: ProjectionRecipe = { shrinkage: 0.1, whitening: 1 };
const joinedRecipe: ProjectionRecipe = { shrinkage: 0.3, whitening: 0.5 };
/** What the network's vector counts beside the small model's before both are projected. */
const embeddingWeight = 1.5;

/** Learns weights from photographs; the same photographs in the same order give the same weights. */
export async function trainWeights(
  photographs: readonly Photograph[],
  report: (step: string) => void,
): Promise<TrainedWeights> {
  const paths = photographs.map(({ path }) => path);
  report(`learning patches from ${paths.length} photographs`);
  const rasters = [];
  for (const path of evenly(paths, maxRasters)) rasters.push(await readRaster(path));
  const patches = fitPatchModel(rasters, createRandom(seed));
  report(`reading features of each in ${1 + imageVariants.length} forms`);
  const transforms = imageVariants.map(({ transform }) => transform);
  const features = await readFeatures(paths, ["none", ...transforms], patches);
  report("learning the projection");
  const labels = labelsOf(photographs);
  const everyOne = [...photographs.keys()];
  const projection = inHalfPrecision(
    fitProjection({ length: featuresLength, ...byForm(features), varied: everyOne, ...labels }, smallRecipe),
  );
  report("reading what the network makes of them");
  const varied = variedOf(photographs);
  const embeddings = await readEmbeddings(paths, varied, ["none", ...transforms]);
  report("joining both");
  const small = features.map((table, form) =>
    projected(form === 0 ? table : pickRows(table, varied), projection),
  );
  return {
    small: { patches, projection, trainedOn: paths.map((path) => fingerprint(readFileSync(path))) },
    joining: fitJoining(photographs, small, embeddings),
  };
}

/** The network needs fewer examples of what a change of an image does: it was trained on changed images. */
export const variedOf = (photographs: readonly Photograph[]): number[] =>
  [...photographs.keys()].filter((i) => i % 6 === 0);

/** From vectors of the small model and of the network: of the photographs, then of those of `variedOf` in each form. */
export function fitJoining(
  photographs: readonly Photograph[],
  small: readonly Float32Array[],
  embeddings: readonly Float32Array[],
): Joining {
  const joined = small.map((table, form) => joinedTable(table, embeddings[form] ?? new Float32Array()));
  const samples = { length: joinedLength, ...byForm(joined), varied: variedOf(photographs) };
  const projection = fitProjection({ ...samples, ...labelsOf(photographs) }, joinedRecipe);
  return { weight: embeddingWeight, projection };
}

function labelsOf(photographs: readonly Photograph[]) {
  return {
    products: photographs.map(({ product }) => product),
    // A photograph of a known product gets no class: it would only repeat what the products say.
    classes: photographs.map((photograph) => (photograph.product === "" ? photograph.class : "")),
  };
}

/** As it is stored, so that training sees the vectors of the shipped weights. */
function inHalfPrecision({ mean, rows }: Projection): Projection {
  return { mean, rows: Float32Array.from(Float16Array.from(rows)) };
}

function pickRows(table: Float32Array, rows: readonly number[]): Float32Array {
  const picked = new Float32Array(rows.length * featuresLength);
  for (const [to, from] of rows.entries())
    picked.set(table.subarray(from * featuresLength, (from + 1) * featuresLength), to * featuresLength);
  return picked;
}

async function readRaster(path: string) {
  return decodeImage(await openImage(readFileSync(path)), rasterSide);
}

/** The first table is of the images as they are. */
function byForm([originals = new Float32Array(), ...tables]: readonly Float32Array[]) {
  const variants = tables.map((table, i) => ({ table, weight: imageVariants[i]?.weight ?? 0 }));
  return { originals, variants };
}

/** The small model's vectors, before they get length 1. */
function projected(table: Float32Array, { mean, rows }: Projection): Float32Array {
  const centred = table.map((value, i) => value - (mean[i % featuresLength] ?? 0));
  return productWithTransposed(centred, rows, featuresLength);
}

function joinedTable(small: Float32Array, embeddings: Float32Array): Float32Array {
  const rows = small.length / descriptorDimensions;
  const out = new Float32Array(rows * joinedLength);
  for (let row = 0; row < rows; row++) {
    const vector = unitLength(small.subarray(row * descriptorDimensions, (row + 1) * descriptorDimensions));
    const embedding = embeddings.subarray(row * embeddingLength, (row + 1) * embeddingLength);
    out.set(sideBySide(vector, embedding, embeddingWeight), row * joinedLength);
  }
  return out;
}

function evenly<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from(
    { length: Math.floor(items.length / step) },
    (_, i) => items[Math.floor(i * step)],
  ).filter((item) => item !== undefined);
}

/** Whether an image was trained on. */
export function fingerprint(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/** The features of every image in every form, computed on all cores: a table for each form, one image per row. */
function readFeatures(
  paths: readonly string[],
  forms: readonly Form[],
  model: PatchModel,
): Promise<Float32Array[]> {
  return readTables({ paths, indices: [...paths.keys()], forms, model }, featuresLength);
}

/** What the network makes of every image as it is, and of some in the other forms. */
async function readEmbeddings(
  paths: readonly string[],
  varied: readonly number[],
  [plain, ...forms]: readonly [Form, ...Form[]],
): Promise<Float32Array[]> {
  const task = { paths, model: "network" } as const;
  const originals = await readTables(
    { ...task, indices: [...paths.keys()], forms: [plain] },
    embeddingLength,
  );
  return [...originals, ...(await readTables({ ...task, indices: varied, forms }, embeddingLength))];
}

async function readTables(task: Omit<FeatureTask, "tables">, length: number): Promise<Float32Array[]> {
  const tables = task.forms.map(() => new SharedArrayBuffer(task.indices.length * length * 4));
  const url = new URL("./feature-worker.ts", import.meta.url);
  await shareAmongWorkers(url, { ...task, tables } satisfies FeatureTask, task.indices.length);
  return tables.map((table) => new Float32Array(table));
}
