import { readFileSync } from "node:fs";
import { loadBuiltInModel, readJoining, readSmallWeights } from "../src/built-in-model.ts";
import { createProjector } from "../src/descriptor/compress-patches.ts";
import { createFeatureReader, rasterSide } from "../src/descriptor/features.ts";
import { decodeImage, openImage } from "../src/image/open-image.ts";
import { createJoiner, loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { inputSide } from "../src/learned/network.ts";
import { boxOverlap, readCellWeights } from "../src/objects/cells.ts";
import { createDetector } from "../src/objects/detect-objects.ts";
import type { VisionModel } from "../src/vision-model.ts";
import { transformNames } from "../train/patch-model.ts";
import { createRandom, type Form, type Photograph, readPhotographs } from "../train/scenes.ts";
import { shareAmongWorkers } from "../train/share-among-workers.ts";
import { trainCells } from "../train/train-cells.ts";
import { fingerprint, type TrainedWeights, trainWeights } from "../train/train-weights.ts";
import { type Background, type Composite, composites } from "./composites.ts";
import type { DescribeTask } from "./describe-worker.ts";
import {
  type Described,
  type Method,
  mean,
  methodLengths,
  type RetrievalScores,
  scoreRetrieval,
  summarise,
} from "./evaluate-retrieval.ts";

/** Boxes with a lower confidence mean "perhaps the whole image". They count neither as found nor as false. */
const minConfidence = 0.3;
const minOverlap = 0.5;

interface DetectionFigures {
  readonly detectionRecall: number | undefined;
  readonly falseBoxesPerImage: number | undefined;
}

/** One evaluated box: the detector's confidence, and whether the box was right. For calibration. */
interface JudgedBox {
  readonly confidence: number;
  readonly right: boolean;
}

export async function evaluateDetection(
  model: Pick<VisionModel, "detect">,
  images: AsyncIterable<Composite>,
) {
  const recalls = new Map<string, number[]>();
  const falses = new Map<string, number[]>();
  const judged: JudgedBox[] = [];
  for await (const { background, crowded, bytes, boxes } of images) {
    const objects = await model.detect(bytes);
    const free = new Set(boxes);
    let wrong = 0;
    for (const { box, confidence } of objects) {
      const hit = [...free].find((truth) => boxOverlap(truth, box) >= minOverlap);
      judged.push({ confidence, right: hit !== undefined });
      if (confidence < minConfidence) continue;
      if (hit === undefined) wrong++;
      else free.delete(hit);
    }
    const crowding = crowded ? "overlapping" : "apart";
    for (const row of ["all", background, crowding, `${background}, ${crowding}`]) {
      push(recalls, row, ...boxes.map((box) => (free.has(box) ? 0 : 1)));
      push(falses, row, wrong);
    }
  }
  const rows = [...recalls].map(([row, values]) => [row, figures(values, falses.get(row) ?? [])] as const);
  const { all = figures([], []), ...others } = Object.fromEntries(rows);
  return { ...all, rows: others, judged };
}

function figures(right: readonly number[], wrong: readonly number[]): DetectionFigures {
  return { detectionRecall: mean(right), falseBoxesPerImage: mean(wrong) };
}

function push(map: Map<string, number[]>, key: string, ...values: number[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}

const names = Object.keys(methodLengths) as Method[];

/** Describes all photographs unchanged, and the evaluated ones also in every form, by every method. */
async function describePhotographs(
  photographs: readonly Photograph[],
  judged: readonly number[],
  weights: TrainedWeights,
): Promise<Record<Method, Described>> {
  const paths = photographs.map(({ path }) => path);
  const changed = judged.map((i) => paths[i] ?? "");
  const originals = await tablesOf(paths, ["none"], weights);
  const transformed = await tablesOf(changed, transformNames, weights);
  const described = (method: Method): Described => ({
    dimensions: methodLengths[method],
    originals: originals("none", method),
    transformed: new Map(transformNames.map((name) => [name, transformed(name, method)])),
    judged,
  });
  return {
    builtIn: described("builtIn"),
    small: described("small"),
    network: described("network"),
    histogram: described("histogram"),
    hog: described("hog"),
  };
}

async function tablesOf(paths: readonly string[], forms: readonly Form[], weights: TrainedWeights) {
  const tables = forms.flatMap(() =>
    names.map((name) => new SharedArrayBuffer(paths.length * methodLengths[name] * 4)),
  );
  const task: DescribeTask = { paths, forms, methods: names, weights, tables };
  await shareAmongWorkers(new URL("./describe-worker.ts", import.meta.url), task, paths.length);
  return (form: Form, method: Method) => {
    const table = tables[forms.indexOf(form) * names.length + names.indexOf(method)];
    return new Float32Array(table ?? new SharedArrayBuffer(0));
  };
}

const methods = Object.keys(methodLengths) as Method[];
const foldCount = 2;
const compositeCount = 240;
const compositeSeed = 3;
const otherComposites = 120;
const timedImages = 300;

export type VisionReport = Awaited<ReturnType<typeof evaluateVision>>;

/**
 * Evaluates the descriptor on photographs that its weights were not trained on. If the shipped weights were trained on
 * some photographs of the folder, each fold is evaluated with weights trained on the other folds. With a source, its
 * photographs are evaluated with weights trained on those of the other sources.
 */
export async function evaluateVision(
  folder: string,
  report: (step: string) => void,
  source: string | undefined = undefined,
) {
  const { photographs, seen, folds } = readJudged(folder, source);
  const shipped = { small: readSmallWeights(), joining: readJoining() };
  const scores: Record<Method, RetrievalScores[]> = {
    builtIn: [],
    small: [],
    network: [],
    histogram: [],
    hog: [],
  };
  for (const [fold, judged] of folds.entries()) {
    report(
      `fold ${fold + 1} of ${folds.length}: ${judged.length} of ${photographs.length} photographs are judged`,
    );
    const weights = seen ? await trainWeights(without(photographs, judged), report) : shipped;
    const described = await describePhotographs(photographs, judged, weights);
    for (const method of methods) scores[method].push(scoreRetrieval(photographs, described[method]));
  }
  const detection = await evaluateBoxes(photographs, folds, seen, report);
  report("time");
  const images = photographs.map(({ path }) => readFileSync(path));
  return {
    weights: describeWeights(source, seen),
    photographs: photographs.length,
    ...summarise(scores.builtIn),
    ...detection,
    ...(await measureTime(evenly(images, timedImages), shipped)),
    baselines: {
      small: summarise(scores.small),
      network: summarise(scores.network),
      labHistogram: summarise(scores.histogram),
      hog: summarise(scores.hog),
    },
  };
}

/** The photographs of a folder, whether the shipped weights know some of them, and which are judged together. */
export function readJudged(folder: string, source: string | undefined) {
  const photographs = readPhotographs(folder);
  const known = new Set(readSmallWeights().trainedOn);
  const seen = photographs.some(({ path }) => known.has(fingerprint(readFileSync(path))));
  return { photographs, seen, folds: judgedFolds(photographs, source, seen ? foldCount : 1) };
}

/** Finds objects in images composed of the photographs of each fold, by weights that were trained on the others. */
export async function evaluateBoxes(
  photographs: readonly Photograph[],
  folds: readonly (readonly number[])[],
  seen: boolean,
  report: (step: string) => void,
) {
  const detectors: VisionModel["detect"][] = [];
  for (const judged of folds) {
    const cells = seen ? await trainCells(without(photographs, judged), report) : readCellWeights();
    detectors.push(createDetector(() => cells));
  }
  report("detection");
  let detect: VisionModel["detect"] = async () => [];
  const composed = async function* (count: number, backgrounds?: readonly Background[]) {
    const random = createRandom(compositeSeed);
    for (const [fold, judged] of folds.entries()) {
      detect = detectors[fold] ?? detect;
      const images = judged.map((i) => readFileSync(photographs[i]?.path ?? ""));
      yield* composites(images, count / folds.length, random, backgrounds);
    }
  };
  const evaluate = (count: number, backgrounds?: readonly Background[]) =>
    evaluateDetection({ detect: (bytes) => detect(bytes) }, composed(count, backgrounds));
  const { rows, judged, ...all } = await evaluate(compositeCount);
  const photograph = await evaluate(otherComposites, ["photograph"]);
  const pattern = await evaluate(otherComposites, ["pattern"]);
  return {
    ...all,
    detectionByBackground: {
      ...rows,
      ...ofBackground("photograph", photograph.rows),
      ...ofBackground("pattern", pattern.rows),
    },
    calibration: calibration(judged),
    calibrationOnPhotographs: calibration(photograph.judged),
  };
}

function ofBackground<Row>(background: Background, rows: Readonly<Record<string, Row>>): Record<string, Row> {
  return Object.fromEntries(Object.entries(rows).filter(([name]) => name.startsWith(background)));
}

function describeWeights(source: string | undefined, seen: boolean): string {
  if (!seen) return loadBuiltInModel().id;
  if (source !== undefined) return `${source} alone, trained on the other sources`;
  return `${foldCount} folds by product, trained without the judged fold`;
}

function without(photographs: readonly Photograph[], judged: readonly number[]): Photograph[] {
  const left = new Set(judged);
  return photographs.filter((_, i) => !left.has(i));
}

/** For each tenth of confidence, the number of boxes and the share of them that was right. */
function calibration(boxes: readonly { confidence: number; right: boolean }[]) {
  const tenths = Map.groupBy(boxes, ({ confidence }) => Math.min(9, Math.floor(confidence * 10)));
  const rows = [...tenths].sort(([a], [b]) => a - b);
  return rows.map(([tenth, members]) => ({
    from: tenth / 10,
    boxes: members.length,
    right: members.filter(({ right }) => right).length / members.length,
  }));
}

function evenly<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, i) => i % step === 0);
}

/**
 * Splits photographs into folds so that all images of one product are in the same fold; a photograph of an unknown product
 * counts as a product of its own. Products are distributed in turn, so that every fold has some of each set.
 */
export function foldsByProduct(photographs: readonly Photograph[], folds: number): number[] {
  const dealt = new Map<string, number>();
  return photographs.map(({ product, path }) => {
    const key = product === "" ? path : product;
    const fold = dealt.get(key) ?? dealt.size % folds;
    dealt.set(key, fold);
    return fold;
  });
}

/** The photographs to judge in each fold: those of one source, or all of them in folds by product. */
export function judgedFolds(
  photographs: readonly Photograph[],
  source: string | undefined,
  folds: number,
): number[][] {
  const all = [...photographs.keys()];
  if (source === undefined) {
    const dealt = foldsByProduct(photographs, folds);
    return Array.from({ length: folds }, (_, fold) => all.filter((i) => dealt[i] === fold));
  }
  const judged = all.filter((i) => photographs[i]?.source === source);
  if (judged.length > 0) return [judged];
  const sources = [...new Set(photographs.map((photograph) => photograph.source))];
  throw new Error(`There are no photographs of the source "${source}"; there are ${sources.join(", ")}.`);
}

/** Median time in milliseconds of each stage of describing an image, on one thread, after a warm-up. */
async function measureTime(images: readonly Buffer[], { small, joining }: TrainedWeights) {
  const read = createFeatureReader(small.patches);
  const project = createProjector(small.projection);
  const join = createJoiner(joining);
  const encoder = loadLearnedEncoder();
  const stages = {
    decode: [] as number[],
    features: [] as number[],
    network: [] as number[],
    projection: [] as number[],
    whole: [] as number[],
  };
  for (const bytes of [...images.slice(0, 50), ...images]) {
    const start = performance.now();
    const image = await openImage(bytes);
    const raster = await decodeImage(image, rasterSide);
    const square = await decodeImage(image, inputSide);
    const decoded = performance.now();
    const features = read(raster);
    const described = performance.now();
    const embedding = encoder.encode(square);
    const encoded = performance.now();
    join(project(features), embedding);
    const done = performance.now();
    stages.decode.push(decoded - start);
    stages.features.push(described - decoded);
    stages.network.push(encoded - described);
    stages.projection.push(done - encoded);
    stages.whole.push(done - start);
  }
  const { whole, ...parts } = stages;
  return {
    msPerImage: median(whole.slice(50)),
    msByStage: Object.fromEntries(
      Object.entries(parts).map(([name, times]) => [name, median(times.slice(50))]),
    ),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
