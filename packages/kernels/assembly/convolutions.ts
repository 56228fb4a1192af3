/**
 * Convolutions of a network in whole numbers: activations of 16 bits, weights of 8, sums of 32. Pixels lie row by row with
 * their channels together. Eight outputs by two inputs of the weights lie together, because one instruction multiplies
 * eight such pairs and adds them two by two. Then each output is multiplied and added to in single precision, rounded to
 * the nearest whole number, and kept from `least` to `most`. All of this gives the same bits on every processor.
 */

/** Every pixel alone: `inputs` channels, an even number, become `outputs`, a multiple of 8. `pixels` is a multiple of 4. */
export function convolvePixels(
  from: usize,
  weights: usize,
  factors: usize,
  summands: usize,
  to: usize,
  pixels: i32,
  inputs: i32,
  outputs: i32,
  least: i32,
  most: i32,
): void {
  const fromStride = (<usize>inputs) << 1;
  const toStride = (<usize>outputs) << 1;
  const blockBytes = (<usize>inputs) << 3;
  const lower = i16x8.splat(<i16>least);
  const upper = i16x8.splat(<i16>most);
  // A few pixels at a time meet all weights: they stay in the first cache.
  const chunk = max(4, (8192 / inputs) & ~3);
  for (let first = 0; first < pixels; first += chunk) {
    const last = min(pixels, first + chunk);
    for (let output = 0; output < outputs; output += 8) {
      const block = weights + <usize>(output >> 3) * blockBytes;
      const factor = factors + ((<usize>output) << 2);
      const summand = summands + ((<usize>output) << 2);
      const factorLow = v128.load(factor);
      const factorHigh = v128.load(factor, 16);
      const summandLow = v128.load(summand);
      const summandHigh = v128.load(summand, 16);
      for (let pixel = first; pixel < last; pixel += 4) {
        const a0 = from + <usize>pixel * fromStride;
        const a1 = a0 + fromStride;
        const a2 = a1 + fromStride;
        const a3 = a2 + fromStride;
        let low0 = i32x4.splat(0);
        let low1 = i32x4.splat(0);
        let low2 = i32x4.splat(0);
        let low3 = i32x4.splat(0);
        let high0 = i32x4.splat(0);
        let high1 = i32x4.splat(0);
        let high2 = i32x4.splat(0);
        let high3 = i32x4.splat(0);
        let weight = block;
        for (let at: usize = 0; at < fromStride; at += 4) {
          const low = v128.load_ext<i8>(weight);
          const high = v128.load_ext<i8>(weight, 8);
          weight += 16;
          const p0 = v128.load_splat<i32>(a0 + at);
          low0 = i32x4.add(low0, i32x4.dot_i16x8_s(p0, low));
          high0 = i32x4.add(high0, i32x4.dot_i16x8_s(p0, high));
          const p1 = v128.load_splat<i32>(a1 + at);
          low1 = i32x4.add(low1, i32x4.dot_i16x8_s(p1, low));
          high1 = i32x4.add(high1, i32x4.dot_i16x8_s(p1, high));
          const p2 = v128.load_splat<i32>(a2 + at);
          low2 = i32x4.add(low2, i32x4.dot_i16x8_s(p2, low));
          high2 = i32x4.add(high2, i32x4.dot_i16x8_s(p2, high));
          const p3 = v128.load_splat<i32>(a3 + at);
          low3 = i32x4.add(low3, i32x4.dot_i16x8_s(p3, low));
          high3 = i32x4.add(high3, i32x4.dot_i16x8_s(p3, high));
        }
        const out = to + <usize>pixel * toStride + ((<usize>output) << 1);
        put(out, scaled(low0, factorLow, summandLow), scaled(high0, factorHigh, summandHigh), lower, upper);
        const out1 = out + toStride;
        put(out1, scaled(low1, factorLow, summandLow), scaled(high1, factorHigh, summandHigh), lower, upper);
        const out2 = out1 + toStride;
        put(out2, scaled(low2, factorLow, summandLow), scaled(high2, factorHigh, summandHigh), lower, upper);
        const out3 = out2 + toStride;
        put(out3, scaled(low3, factorLow, summandLow), scaled(high3, factorHigh, summandHigh), lower, upper);
      }
    }
  }
}

/**
 * Every channel alone, over `taps` pixels around each, an even number. `offsets` has the place of each in bytes from the
 * first. The input has its margins and is `width` pixels wide; `channels` is a multiple of 8, the output a square of `side`.
 */
export function convolveChannels(
  from: usize,
  weights: usize,
  factors: usize,
  summands: usize,
  to: usize,
  offsets: usize,
  taps: i32,
  channels: i32,
  width: i32,
  side: i32,
  stride: i32,
  least: i32,
  most: i32,
): void {
  const lower = i16x8.splat(<i16>least);
  const upper = i16x8.splat(<i16>most);
  const pixelBytes = (<usize>channels) << 1;
  const rowBytes = <usize>width * pixelBytes * <usize>stride;
  const step = pixelBytes * <usize>stride;
  const end = offsets + ((<usize>taps) << 2);
  let out = to;
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      let start = from + <usize>row * rowBytes + <usize>column * step;
      let weight = weights;
      let factor = factors;
      let summand = summands;
      for (let channel = 0; channel < channels; channel += 8) {
        let low = i32x4.splat(0);
        let high = i32x4.splat(0);
        for (let offset = offsets; offset < end; offset += 8) {
          const one = v128.load(start + load<u32>(offset));
          const other = v128.load(start + load<u32>(offset, 4));
          const lowPairs = v128.shuffle<i16>(one, other, 0, 8, 1, 9, 2, 10, 3, 11);
          const highPairs = v128.shuffle<i16>(one, other, 4, 12, 5, 13, 6, 14, 7, 15);
          low = i32x4.add(low, i32x4.dot_i16x8_s(lowPairs, v128.load_ext<i8>(weight)));
          high = i32x4.add(high, i32x4.dot_i16x8_s(highPairs, v128.load_ext<i8>(weight, 8)));
          weight += 16;
        }
        put(
          out,
          scaled(low, v128.load(factor), v128.load(summand)),
          scaled(high, v128.load(factor, 16), v128.load(summand, 16)),
          lower,
          upper,
        );
        out += 16;
        start += 16;
        factor += 32;
        summand += 32;
      }
    }
  }
}

/** Adds `count` numbers, a multiple of 8, to others. */
export function addNumbers(to: usize, from: usize, count: i32): void {
  const bytes = (<usize>count) << 1;
  for (let at: usize = 0; at < bytes; at += 16) {
    v128.store(to + at, i16x8.add_sat_s(v128.load(to + at), v128.load(from + at)));
  }
}

function scaled(sums: v128, factors: v128, summands: v128): v128 {
  const exact = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), factors), summands);
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(exact));
}

function put(to: usize, low: v128, high: v128, lower: v128, upper: v128): void {
  const numbers = i16x8.narrow_i32x4_s(low, high);
  v128.store(to, i16x8.max_s(i16x8.min_s(numbers, upper), lower));
}
