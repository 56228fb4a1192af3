import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawImage } from "@product-search/api/adapters/local-images/sample.ts";
import { inputsOf, nameConfidence } from "@product-search/api/domain/name-confidence.ts";
import { createRandom, defaultSampleSize, designCount, designOf } from "@product-search/sample-catalog";
import { loadBuiltInModel } from "@product-search/vision";
import { readPhotographs } from "@product-search/vision/photographs";
import { calibrationError, fitLogistic, reliability } from "../images/calibration.ts";
import type { CatalogImage } from "../images/judge-alike.ts";
import { type NamedImage, type NameTrial, nameTrials } from "../images/name-trials.ts";

const help = `Usage: pnpm eval names [--data FOLDER --source NAME --weights FILE] [--images N] [--json]

How well the confidence of named objects is calibrated. Objects are cut out of pictures of the sample catalog that are not
in the searched part, and composed on five backgrounds; with a folder, also photographs of one source, half of which are
the catalog. Before: the detector's confidence in the box. After: the confidence that box and name are right. "fitted"
is a regression on one half of the trials, judged on the other.

  --weights FILE  weights that were not trained on these photographs: see pnpm eval alike --help
  --images N      how many images to compose (default 500)`;

const drawnStep = 6;
const seed = 11;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      source: { type: "string", default: "clothing" },
      weights: { type: "string" },
      images: { type: "string", default: "500" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const count = Number(values.images);
  const reports = { sample: judge(await drawnTrials(count)), photographs: {} };
  if (values.data !== undefined)
    reports.photographs = judge(await photographTrials(values.data, values.source, values.weights, count));
  if (values.json) console.log(JSON.stringify(reports));
  else console.dir(reports, { depth: 5 });
}

async function drawnTrials(count: number): Promise<NameTrial[]> {
  const model = loadBuiltInModel();
  const catalog: CatalogImage[] = [];
  for (let design = 0; design < defaultSampleSize; design++) {
    const vector = await model.describe(await drawImage({ design, view: 0 }));
    catalog.push({ product: String(design), category: designOf(design).kind.category, vector });
  }
  const objects: NamedImage[] = [];
  for (let design = defaultSampleSize; design < designCount; design += drawnStep)
    objects.push({
      bytes: Buffer.from(await drawImage({ design, view: 0 })),
      category: designOf(design).kind.category,
    });
  return nameTrials(model, catalog, objects, { count, random: createRandom(seed).next });
}

async function photographTrials(folder: string, source: string, weights: string | undefined, count: number) {
  const model = loadBuiltInModel(weights);
  const catalog: CatalogImage[] = [];
  const objects: NamedImage[] = [];
  const photographs = readPhotographs(folder).filter((photograph) => photograph.source === source);
  for (const [at, { path, class: category }] of photographs.entries()) {
    const bytes = readFileSync(path);
    if (at % 2 === 1) objects.push({ bytes, category });
    else catalog.push({ product: path, category, vector: await model.describe(bytes) });
  }
  return nameTrials(model, catalog, objects, { count, random: createRandom(seed).next });
}

function judge(trials: readonly NameTrial[]) {
  const half = trials.length >> 1;
  const [first, second] = [trials.slice(0, half), trials.slice(half)];
  const weights = fitLogistic(
    first.map(({ evidence }) => inputsOf(evidence)),
    first.map(({ right }) => right),
  );
  const forecasts = (confidence: (trial: NameTrial) => number, judged = trials) =>
    judged.map((trial) => ({ confidence: confidence(trial), right: trial.right }));
  const before = forecasts(({ evidence }) => evidence.box);
  const after = forecasts(({ evidence }) => nameConfidence(evidence));
  const fitted = forecasts(({ evidence }) => {
    const [constant = 0, ...others] = weights;
    const sum = inputsOf(evidence).reduce((total, input, at) => total + input * (others[at] ?? 0), constant);
    return 1 / (1 + Math.exp(-sum));
  }, second);
  return {
    named: trials.length,
    right: trials.filter(({ right }) => right).length / trials.length,
    errorBefore: calibrationError(before),
    errorAfter: calibrationError(after),
    before: reliability(before),
    after: reliability(after),
    fitted: { weights, error: calibrationError(fitted) },
  };
}
