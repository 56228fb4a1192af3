import { transformNames } from "../train/augment.ts";
import type { Form } from "../train/forms.ts";
import type { Photograph } from "../train/photographs.ts";
import { shareAmongWorkers } from "../train/share-among-workers.ts";
import type { TrainedWeights } from "../train/train-weights.ts";
import type { DescribeTask } from "./describe-worker.ts";
import type { Described } from "./evaluate-retrieval.ts";
import { type Method, methodLengths } from "./methods.ts";

const names = Object.keys(methodLengths) as Method[];

/** Describes all photographs unchanged, and the evaluated ones also in every form, by every method. */
export async function describePhotographs(
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
