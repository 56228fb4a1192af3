import { type CellWeights, cellLength, hiddenLength, outputLength } from "../src/objects/cells.ts";
import { createRandom, labelLength } from "./scenes.ts";

type Head = Omit<CellWeights, "evidence">;

const rounds = 10;
const batch = 128;
const rate = 1e-3;
const decay = 1e-4;
const [momentum, steadiness] = [0.9, 0.999];

/**
 * A hidden layer and two goals: of a cell inside an object its distances to the sides of the box, by the overlap of both
 * boxes (UnitBox, arXiv:1608.01471), and of every cell that overlap, 0 outside (arXiv:2006.04388). By Adam. The loop stays
 * in one function, because it takes a third of the training's time. The cells are standardised in place.
 */
export function fitHead(cells: Float32Array, labels: Float32Array): Head {
  const random = createRandom(1);
  const count = labels.length / labelLength;
  const scale = standardise(cells);
  const first = adam(normal(hiddenLength * cellLength, Math.sqrt(2 / cellLength), random));
  const firstBias = adam(new Float32Array(hiddenLength));
  const last = adam(normal(outputLength * hiddenLength, 0.05, random));
  const lastBias = adam(Float32Array.of(-1, 1, 1, 1, 1));
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  const hidden = new Float32Array(hiddenLength);
  const steps = Math.ceil(count / batch) * rounds;
  let step = 0;
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    for (let from = 0; from < count; from += batch) {
      const members = order.subarray(from, from + batch);
      for (const sample of members) {
        const at = sample * cellLength;
        for (let h = 0; h < hiddenLength; h++) {
          let sum = firstBias.values[h] ?? 0;
          const row = h * cellLength;
          for (let i = 0; i < cellLength; i++) sum += (first.values[row + i] ?? 0) * (cells[at + i] ?? 0);
          hidden[h] = Math.max(0, sum);
        }
        const outputs = [0, 1, 2, 3, 4].map((o) => {
          let sum = lastBias.values[o] ?? 0;
          for (let h = 0; h < hiddenLength; h++)
            sum += (last.values[o * hiddenLength + h] ?? 0) * (hidden[h] ?? 0);
          return sum;
        });
        const slopes = slopesOf(outputs, labels.subarray(sample * labelLength, (sample + 1) * labelLength));
        for (let o = 0; o < outputLength; o++) {
          const slope = slopes[o] ?? 0;
          if (slope === 0) continue;
          lastBias.slopes[o] = (lastBias.slopes[o] ?? 0) + slope;
          for (let h = 0; h < hiddenLength; h++)
            last.slopes[o * hiddenLength + h] =
              (last.slopes[o * hiddenLength + h] ?? 0) + slope * (hidden[h] ?? 0);
        }
        for (let h = 0; h < hiddenLength; h++) {
          if (!((hidden[h] ?? 0) > 0)) continue;
          let slope = 0;
          for (let o = 0; o < outputLength; o++)
            slope += (slopes[o] ?? 0) * (last.values[o * hiddenLength + h] ?? 0);
          if (slope === 0) continue;
          firstBias.slopes[h] = (firstBias.slopes[h] ?? 0) + slope;
          const row = h * cellLength;
          for (let i = 0; i < cellLength; i++)
            first.slopes[row + i] = (first.slopes[row + i] ?? 0) + slope * (cells[at + i] ?? 0);
        }
      }
      step++;
      const now = rate * Math.min(1, step / 200) * (0.5 + 0.5 * Math.cos((Math.PI * step) / steps));
      for (const layer of [first, firstBias, last, lastBias]) layer.move(now, members.length, step);
    }
  }
  return unscaled(first.values, firstBias.values, last.values, lastBias.values, scale);
}

/** Of both losses, for each output. */
function slopesOf(outputs: readonly number[], label: Float32Array): number[] {
  const [logit = 0] = outputs;
  const slopes = [0, 0, 0, 0, 0];
  let overlap = 0;
  if (label[0] === 1) {
    const [l = 0, t = 0, r = 0, b = 0] = outputs.slice(1).map((value) => Math.exp(Math.min(4, value)));
    const [, left = 0, top = 0, right = 0, bottom = 0] = label;
    const width = Math.min(l, left) + Math.min(r, right);
    const height = Math.min(t, top) + Math.min(b, bottom);
    const shared = width * height;
    const union = (l + r) * (t + b) + (left + right) * (top + bottom) - shared;
    overlap = shared / union;
    const sides = [
      { size: l, across: t + b, shared: l < left ? height : 0 },
      { size: t, across: l + r, shared: t < top ? width : 0 },
      { size: r, across: t + b, shared: r < right ? height : 0 },
      { size: b, across: l + r, shared: b < bottom ? width : 0 },
    ];
    for (const [i, side] of sides.entries()) {
      const slope = -side.shared / shared + (side.across - side.shared) / union;
      slopes[i + 1] = slope * side.size;
    }
  }
  slopes[0] = 1 / (1 + Math.exp(-logit)) - overlap;
  return slopes;
}

/** Adam (arXiv:1412.6980) with decay of the weights. */
function adam(values: Float32Array) {
  const slopes = new Float32Array(values.length);
  const means = new Float32Array(values.length);
  const squares = new Float32Array(values.length);
  const move = (rate: number, members: number, step: number) => {
    const meanScale = 1 / (1 - momentum ** step);
    const squareScale = 1 / (1 - steadiness ** step);
    for (let i = 0; i < values.length; i++) {
      const slope = (slopes[i] ?? 0) / members;
      slopes[i] = 0;
      const mean = momentum * (means[i] ?? 0) + (1 - momentum) * slope;
      const square = steadiness * (squares[i] ?? 0) + (1 - steadiness) * slope * slope;
      means[i] = mean;
      squares[i] = square;
      const value = values[i] ?? 0;
      values[i] =
        value - rate * ((mean * meanScale) / (Math.sqrt(square * squareScale) + 1e-8) + decay * value);
    }
  };
  return { values, slopes, move };
}

/** Changes every column to mean 0 and spread 1. */
function standardise(cells: Float32Array): { means: Float64Array; spreads: Float64Array } {
  const means = new Float64Array(cellLength);
  const spreads = new Float64Array(cellLength);
  const rows = cells.length / cellLength;
  for (let at = 0; at < cells.length; at++)
    means[at % cellLength] = (means[at % cellLength] ?? 0) + (cells[at] ?? 0) / rows;
  for (let at = 0; at < cells.length; at++) {
    const i = at % cellLength;
    spreads[i] = (spreads[i] ?? 0) + ((cells[at] ?? 0) - (means[i] ?? 0)) ** 2 / rows;
  }
  for (let i = 0; i < cellLength; i++) spreads[i] = Math.sqrt(spreads[i] ?? 0) + 1e-3;
  for (let at = 0; at < cells.length; at++) {
    const i = at % cellLength;
    cells[at] = ((cells[at] ?? 0) - (means[i] ?? 0)) / (spreads[i] ?? 1);
  }
  return { means, spreads };
}

/** For cells as the network gives them. */
function unscaled(
  first: Float32Array,
  firstBias: Float32Array,
  last: Float32Array,
  lastBias: Float32Array,
  { means, spreads }: ReturnType<typeof standardise>,
): Head {
  const raw = first.map((value, at) => value / (spreads[at % cellLength] ?? 1));
  const bias = firstBias.map((value, h) => {
    let sum = value;
    for (let i = 0; i < cellLength; i++) sum -= (raw[h * cellLength + i] ?? 0) * (means[i] ?? 0);
    return sum;
  });
  return { hidden: raw, hiddenBias: bias, output: last, outputBias: lastBias };
}

function normal(length: number, spread: number, random: () => number): Float32Array {
  return Float32Array.from({ length }, () => {
    const size = Math.sqrt(-2 * Math.log(1 - random()));
    return spread * size * Math.cos(2 * Math.PI * random());
  });
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
}
