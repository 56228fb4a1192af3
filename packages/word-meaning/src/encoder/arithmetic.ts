/**
 * Functions made of additions, multiplications, divisions and square roots alone: IEEE 754 gives each of these one
 * result, while `Math.exp` may differ between builds.
 */

/** e to the power of `x` ≤ 0: a Taylor series near 0, then squared ten times. */
export function exponential(x: number): number {
  if (x < -700) return 0;
  const near = x / 1024;
  let term = 1;
  let sum = 1;
  for (let n = 1; n <= 12; n++) {
    term *= near / n;
    sum += term;
  }
  for (let n = 0; n < 10; n++) sum *= sum;
  return sum;
}

/** Abramowitz and Stegun 7.1.26: error under 1.5e-7. */
function errorFunction(x: number): number {
  const size = Math.abs(x);
  const t = 1 / (1 + 0.3275911 * size);
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * exponential(-size * size));
}

/** Beyond this the function is 0 or its argument. */
const widest = 8;
const stepsPerUnit = 512;

/** GELU, x · Φ(x), changes numbers in place: read from a table, as the function itself takes longer than all else. */
export function createGelu(): (numbers: Float32Array, length: number) => void {
  const table = new Float64Array(2 * widest * stepsPerUnit + 2);
  for (let i = 0; i < table.length; i++) {
    const x = i / stepsPerUnit - widest;
    table[i] = 0.5 * x * (1 + errorFunction(x / Math.SQRT2));
  }
  return (numbers, length) => {
    for (let i = 0; i < length; i++) {
      const x = numbers[i] ?? 0;
      if (x >= widest) continue;
      if (x <= -widest) {
        numbers[i] = 0;
        continue;
      }
      const place = (x + widest) * stepsPerUnit;
      const at = Math.floor(place);
      const below = table[at] ?? 0;
      numbers[i] = below + (place - at) * ((table[at + 1] ?? 0) - below);
    }
  };
}

/** Gives each of the first `rows` rows mean 0 and deviation 1, then the factors and biases of its columns. */
export function normalizeRows(
  numbers: Float32Array,
  rows: number,
  { factors, biases }: { readonly factors: Float32Array; readonly biases: Float32Array },
): void {
  const length = factors.length;
  for (let row = 0, start = 0; row < rows; row++, start += length) {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += numbers[start + i] ?? 0;
    const mean = sum / length;
    let squares = 0;
    for (let i = 0; i < length; i++) {
      const difference = (numbers[start + i] ?? 0) - mean;
      squares += difference * difference;
    }
    const scale = 1 / Math.sqrt(squares / length + 1e-12);
    for (let i = 0; i < length; i++)
      numbers[start + i] = ((numbers[start + i] ?? 0) - mean) * scale * (factors[i] ?? 0) + (biases[i] ?? 0);
  }
}

/** What each of `heads` parts of each token gets from all tokens. A row of `from` has queries, keys, then values. */
export function attend(
  from: Float32Array,
  to: Float32Array,
  tokens: number,
  width: number,
  heads: number,
): void {
  const stride = 3 * width;
  const part = width / heads;
  const scale = 1 / Math.sqrt(part);
  const shares = new Float64Array(tokens);
  for (let head = 0; head < heads; head++) {
    const offset = head * part;
    for (let token = 0; token < tokens; token++) {
      const query = token * stride + offset;
      let most = Number.NEGATIVE_INFINITY;
      for (let other = 0; other < tokens; other++) {
        const key = other * stride + width + offset;
        let sum = 0;
        for (let i = 0; i < part; i++) sum += (from[query + i] ?? 0) * (from[key + i] ?? 0);
        const share = sum * scale;
        shares[other] = share;
        if (share > most) most = share;
      }
      let total = 0;
      for (let other = 0; other < tokens; other++) {
        const share = exponential((shares[other] ?? 0) - most);
        shares[other] = share;
        total += share;
      }
      const out = token * width + offset;
      for (let i = 0; i < part; i++) {
        let sum = 0;
        for (let other = 0, value = 2 * width + offset + i; other < tokens; other++, value += stride)
          sum += (shares[other] ?? 0) * (from[value] ?? 0);
        to[out + i] = sum / total;
      }
    }
  }
}

/** Rounds each row to whole numbers of at most ±`most`, and notes by what to multiply them. */
export function roundRows(
  from: Float32Array,
  to: Int16Array,
  scales: Float32Array,
  { rows, length, most }: { rows: number; length: number; most: number },
): void {
  for (let row = 0, start = 0; row < rows; row++, start += length) {
    let greatest = 1e-8;
    for (let i = start; i < start + length; i++) {
      const size = Math.abs(from[i] ?? 0);
      if (size > greatest) greatest = size;
    }
    scales[row] = greatest / most;
    const factor = most / greatest;
    for (let i = start; i < start + length; i++) to[i] = Math.round((from[i] ?? 0) * factor);
  }
}
