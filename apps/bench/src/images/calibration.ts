/** A stated probability, and whether what it was stated of came true. */
export interface Forecast {
  readonly confidence: number;
  readonly right: boolean;
}

const bins = 10;

/** For each tenth of confidence: how many forecasts, their mean confidence, and the share that was right. */
export function reliability(forecasts: readonly Forecast[]) {
  const tenths = Map.groupBy(forecasts, ({ confidence }) =>
    Math.min(bins - 1, Math.floor(confidence * bins)),
  );
  const rows = [...tenths].sort(([one], [other]) => one - other);
  return rows.map(([tenth, members]) => ({
    from: tenth / bins,
    count: members.length,
    confidence: mean(members, ({ confidence }) => confidence),
    right: mean(members, ({ right }) => (right ? 1 : 0)),
  }));
}

/** The mean distance between confidence and the share that was right, weighted by the number in each tenth. */
export function calibrationError(forecasts: readonly Forecast[]): number {
  const rows = reliability(forecasts);
  const sum = rows.reduce(
    (total, { count, confidence, right }) => total + count * Math.abs(confidence - right),
    0,
  );
  return sum / Math.max(1, forecasts.length);
}

/** Logistic regression by gradient descent with a small penalty: one weight for each input, a constant first. */
export function fitLogistic(inputs: readonly (readonly number[])[], right: readonly boolean[]): number[] {
  const weights = new Array<number>((inputs[0]?.length ?? 0) + 1).fill(0);
  const [rate, rounds, penalty] = [0.3, 4000, 1e-3];
  for (let round = 0; round < rounds; round++) {
    const slope = weights.map((weight, at) => (at === 0 ? 0 : penalty * weight));
    for (const [row, input] of inputs.entries()) {
      const error = (probability(weights, input) - (right[row] ? 1 : 0)) / inputs.length;
      slope[0] = (slope[0] ?? 0) + error;
      for (const [at, value] of input.entries()) slope[at + 1] = (slope[at + 1] ?? 0) + error * value;
    }
    for (const at of weights.keys()) weights[at] = (weights[at] ?? 0) - rate * (slope[at] ?? 0);
  }
  return weights;
}

function probability([constant = 0, ...weights]: readonly number[], input: readonly number[]): number {
  const sum = weights.reduce((total, weight, at) => total + weight * (input[at] ?? 0), constant);
  return 1 / (1 + Math.exp(-sum));
}

function mean<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / Math.max(1, items.length);
}
