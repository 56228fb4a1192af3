import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawImage } from "@product-search/api/adapters/local-images/sample.ts";
import { inputsOf, nameConfidence } from "@product-search/core/domain/similarity/name-confidence.ts";
import { defaultSampleSize, designCount, designOf } from "@product-search/sample-catalog";
import { loadBuiltInModel } from "@product-search/vision";
import { readPhotographs } from "@product-search/vision/photographs";
import { calibrationError, fitLogistic, reliability } from "../images/calibration.ts";
import type { CatalogImage } from "../images/judge-alike.ts";
import { type NamedImage, type NameTrial, nameTrials } from "../images/name-trials.ts";
import { wholeNumber } from "../support/whole-number.ts";

const help = `Usage: pnpm eval names [--data FOLDER --source NAME --weights FOLDER] [--images N] [--products N] [--json]

How well the confidence of named objects is calibrated. Objects are cut out of images of the sample catalog that are not
in the searched part, and composed on five backgrounds; with a folder, also out of the pack shots of one source, whose other
photographs are the catalog, and whose classes are the categories. Every other image is for fitting the regression; the
figures are of the rest. Before: the detector's confidence in the box. After: that box and name are right.

  --weights FOLDER  weights that were not trained on these photographs: see pnpm eval alike --help
  --images N      how many images to compose of drawings (default 500), and three fifths as many of photographs
  --products N    of the sample (default ${defaultSampleSize})`;

const drawnStep = 6;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      source: { type: "string", default: "grocery" },
      weights: { type: "string" },
      images: { type: "string", default: "500" },
      products: { type: "string", default: String(defaultSampleSize) },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const count = wholeNumber("--images", values.images);
  const drawn = await drawnTrials(count, wholeNumber("--products", values.products));
  const photographed =
    values.data === undefined
      ? []
      : await photographTrials(values.data, values.source, values.weights, Math.round(count * 0.6));
  const reports = {
    fitted: fit([...drawn, ...photographed]),
    sample: judge(drawn),
    photographs: judge(photographed),
  };
  if (values.json) console.log(JSON.stringify(reports));
  else console.dir(reports, { depth: 5 });
}

async function drawnTrials(count: number, products: number): Promise<NameTrial[]> {
  const model = loadBuiltInModel();
  const catalog: CatalogImage[] = [];
  for (let design = 0; design < products; design++) {
    const vector = await model.describe(await drawImage({ design, view: 0 }));
    catalog.push({ product: String(design), category: designOf(design).kind.category, vector });
  }
  const objects: NamedImage[] = [];
  for (let design = defaultSampleSize; design < designCount; design += drawnStep)
    objects.push({
      bytes: Buffer.from(await drawImage({ design, view: 0 })),
      category: designOf(design).kind.category,
    });
  return nameTrials(model, catalog, objects, count);
}

async function photographTrials(folder: string, source: string, weights: string | undefined, count: number) {
  const model = loadBuiltInModel(weights);
  const catalog: CatalogImage[] = [];
  const objects: NamedImage[] = [];
  const photographs = readPhotographs(folder).filter((photograph) => photograph.source === source);
  for (const { path, class: category, view } of photographs) {
    const bytes = readFileSync(path);
    if (view === "iconic") objects.push({ bytes, category });
    else catalog.push({ product: path, category, vector: await model.describe(bytes) });
  }
  return nameTrials(model, catalog, objects, count);
}

const isForFitting = ({ image }: NameTrial) => image % 2 === 0;

function fit(trials: readonly NameTrial[]): number[] {
  const chosen = trials.filter(isForFitting);
  return fitLogistic(
    chosen.map(({ evidence }) => inputsOf(evidence)),
    chosen.map(({ right }) => right),
  );
}

function judge(all: readonly NameTrial[]) {
  const trials = all.filter((trial) => !isForFitting(trial));
  const before = trials.map(({ evidence, right }) => ({ confidence: evidence.box, right }));
  const after = trials.map(({ evidence, right }) => ({ confidence: nameConfidence(evidence), right }));
  return {
    named: trials.length,
    right: trials.filter(({ right }) => right).length / trials.length,
    errorBefore: calibrationError(before),
    errorAfter: calibrationError(after),
    before: reliability(before),
    after: reliability(after),
  };
}
