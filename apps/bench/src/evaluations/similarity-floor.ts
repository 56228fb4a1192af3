import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { similarityFloor, smallModelFloor } from "@product-search/core/domain/similarity/similarity-floor.ts";
import { loadBuiltInModel, loadSmallModel } from "@product-search/vision";
import { wholeNumber } from "../support/whole-number.ts";

const help = `Usage: pnpm bench similarity-floor --data FOLDER [--model small] [--step N] [--json]

Where to cut off what is not alike. Each folder in FOLDER is a catalog of its own kind of thing. For each floor: the share of
images that still find something in the catalogs of other kinds (should be none), how many they find, and the share of
images that still find an image of their own catalog (should be all).

  --model small  the small model instead of the built-in one
  --step N       take every N-th image (default 1)`;

const floors = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
const isImage = /\.(?:jpe?g|png|webp|avif|gif)$/i;

interface Described {
  kind: string;
  vector: Float32Array;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      model: { type: "string" },
      step: { type: "string", default: "1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help || values.data === undefined) {
    console.log(help);
    return;
  }
  const images = await describeAll(values.data, wholeNumber("--step", values.step), values.model === "small");
  const nearest = images.map((one) => nearestOf(one, images));
  const rows = floors.map((floor) => ({
    floor,
    "other kind finds": share(nearest, ({ others }) => (others[0] ?? -1) >= floor),
    "other kind, products": mean(
      nearest,
      ({ others }) => others.filter((similarity) => similarity >= floor).length,
    ),
    "own kind finds": share(nearest, ({ own }) => own >= floor),
  }));
  if (values.json) console.log(JSON.stringify({ images: images.length, similarityFloor, rows }));
  else {
    console.log(
      `${images.length} images; the service's floor is ${values.model === "small" ? smallModelFloor : similarityFloor}`,
    );
    console.table(rows);
  }
}

async function describeAll(folder: string, step: number, isSmall: boolean): Promise<Described[]> {
  const model = isSmall ? loadSmallModel() : loadBuiltInModel();
  const described: Described[] = [];
  for (const kind of readdirSync(folder)) {
    const files = readdirSync(join(folder, kind)).filter((file) => isImage.test(file));
    for (const file of files.filter((_, at) => at % step === 0)) {
      described.push({ kind, vector: await model.describe(readFileSync(join(folder, kind, file))) });
    }
  }
  return described;
}

/** The highest similarities: the best of the same kind, and the fifty best of each other kind. */
function nearestOf(one: Described, all: readonly Described[]): { own: number; others: number[] } {
  const similarities = (isWanted: (other: Described) => boolean) =>
    all.filter(isWanted).map(({ vector }) => dot(one.vector, vector));
  return {
    own: Math.max(...similarities((other) => other !== one && other.kind === one.kind)),
    others: similarities((other) => other.kind !== one.kind)
      .sort((a, b) => b - a)
      .slice(0, 50),
  };
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

function share<Item>(items: readonly Item[], isSo: (item: Item) => boolean): number {
  return mean(items, (item) => (isSo(item) ? 1 : 0));
}

function mean<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return Math.round((1000 * items.reduce((sum, item) => sum + value(item), 0)) / items.length) / 1000;
}
