import { readFileSync } from "node:fs";
import { loadBuiltInModel, readJoining } from "../src/built-in-model.ts";
import { readSmallWeights } from "../src/small-model.ts";
import { type Photograph, readPhotographs } from "../train/photographs.ts";
import { createRandom } from "../train/random.ts";
import { fingerprint, type TrainedWeights, trainWeights } from "../train/train-weights.ts";
import { composites } from "./composites.ts";
import { describePhotographs } from "./describe-photographs.ts";
import { evaluateDetection } from "./evaluate-detection.ts";
import { type RetrievalScores, scoreRetrieval, summarise } from "./evaluate-retrieval.ts";
import { measureTime } from "./measure-time.ts";
import { type Method, methodLengths } from "./methods.ts";

const methods = Object.keys(methodLengths) as Method[];
const foldCount = 2;
const compositeCount = 240;
const compositeSeed = 3;
const photographComposites = 120;
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
  const photographs = readPhotographs(folder);
  const shipped = { small: readSmallWeights(), joining: readJoining() };
  const known = new Set(shipped.small.trainedOn);
  const seen = photographs.some(({ path }) => known.has(fingerprint(readFileSync(path))));
  const scores: Record<Method, RetrievalScores[]> = {
    builtIn: [],
    small: [],
    network: [],
    histogram: [],
    hog: [],
  };
  const folds = judgedFolds(photographs, source, seen ? foldCount : 1);
  for (const [fold, judged] of folds.entries()) {
    report(
      `fold ${fold + 1} of ${folds.length}: ${judged.length} of ${photographs.length} photographs are judged`,
    );
    const weights = seen ? await trainedWithout(photographs, judged, report) : shipped;
    const described = await describePhotographs(photographs, judged, weights);
    for (const method of methods) scores[method].push(scoreRetrieval(photographs, described[method]));
  }
  report("detection and time");
  const images = photographs.map(({ path }) => readFileSync(path));
  const random = createRandom(compositeSeed);
  const { judged, rows, ...detection } = await evaluateDetection(
    loadBuiltInModel(),
    composites(images, compositeCount, random),
  );
  const onPhotographs = await evaluateDetection(
    loadBuiltInModel(),
    composites(images, photographComposites, random, ["photograph"]),
  );
  return {
    weights: describeWeights(source, seen),
    photographs: photographs.length,
    ...summarise(scores.builtIn),
    ...detection,
    detectionByBackground: { ...rows, ...onPhotographs.rows },
    calibration: calibration(judged),
    ...(await measureTime(evenly(images, timedImages), shipped)),
    baselines: {
      small: summarise(scores.small),
      network: summarise(scores.network),
      labHistogram: summarise(scores.histogram),
      hog: summarise(scores.hog),
    },
  };
}

function describeWeights(source: string | undefined, seen: boolean): string {
  if (!seen) return loadBuiltInModel().id;
  if (source !== undefined) return `${source} alone, trained on the other sources`;
  return `${foldCount} folds by product, trained without the judged fold`;
}

function trainedWithout(
  photographs: readonly Photograph[],
  judged: readonly number[],
  report: (step: string) => void,
): Promise<TrainedWeights> {
  const left = new Set(judged);
  return trainWeights(
    photographs.filter((_, i) => !left.has(i)),
    report,
  );
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
