/**
 * One layer of a network for all tokens of a text: sums in whole numbers, then scaled in single precision.
 * `from` has `rows` tokens (a multiple of 4) of `inner` numbers of 16 bits (a multiple of 8), `weights` has `columns` rows
 * (an even number) of as many numbers of 8 bits. `to` gets `columns` numbers for each token:
 * sum × scale of the token × scale of the row + bias of the row. No sum may need more than 32 bits.
 */
export function multiplyTokens(
  from: usize,
  scales: usize,
  weights: usize,
  weightScales: usize,
  biases: usize,
  to: usize,
  rows: i32,
  columns: i32,
  inner: i32,
): void {
  const fromStride = (<usize>inner) << 1;
  const toStride = (<usize>columns) << 2;
  for (let column = 0; column < columns; column += 2) {
    const first = weights + <usize>column * <usize>inner;
    const second = first + <usize>inner;
    const weightScale = weightScales + ((<usize>column) << 2);
    const bias = biases + ((<usize>column) << 2);
    for (let row = 0; row < rows; row += 4) {
      const a0 = from + <usize>row * fromStride;
      const a1 = a0 + fromStride;
      const a2 = a1 + fromStride;
      const a3 = a2 + fromStride;
      let s00 = i32x4.splat(0);
      let s01 = i32x4.splat(0);
      let s10 = i32x4.splat(0);
      let s11 = i32x4.splat(0);
      let s20 = i32x4.splat(0);
      let s21 = i32x4.splat(0);
      let s30 = i32x4.splat(0);
      let s31 = i32x4.splat(0);
      for (let at: usize = 0; at < <usize>inner; at += 8) {
        const w0 = v128.load_ext<i8>(first + at);
        const w1 = v128.load_ext<i8>(second + at);
        const place = at << 1;
        const v0 = v128.load(a0 + place);
        s00 = i32x4.add(s00, i32x4.dot_i16x8_s(v0, w0));
        s01 = i32x4.add(s01, i32x4.dot_i16x8_s(v0, w1));
        const v1 = v128.load(a1 + place);
        s10 = i32x4.add(s10, i32x4.dot_i16x8_s(v1, w0));
        s11 = i32x4.add(s11, i32x4.dot_i16x8_s(v1, w1));
        const v2 = v128.load(a2 + place);
        s20 = i32x4.add(s20, i32x4.dot_i16x8_s(v2, w0));
        s21 = i32x4.add(s21, i32x4.dot_i16x8_s(v2, w1));
        const v3 = v128.load(a3 + place);
        s30 = i32x4.add(s30, i32x4.dot_i16x8_s(v3, w0));
        s31 = i32x4.add(s31, i32x4.dot_i16x8_s(v3, w1));
      }
      const scale = scales + ((<usize>row) << 2);
      const out = to + <usize>row * toStride + ((<usize>column) << 2);
      put(out, s00, s01, scale, weightScale, bias);
      put(out + toStride, s10, s11, scale + 4, weightScale, bias);
      put(out + 2 * toStride, s20, s21, scale + 8, weightScale, bias);
      put(out + 3 * toStride, s30, s31, scale + 12, weightScale, bias);
    }
  }
}

function put(out: usize, first: v128, second: v128, scale: usize, weightScale: usize, bias: usize): void {
  const factor = load<f32>(scale);
  store<f32>(out, <f32>sum(first) * factor * load<f32>(weightScale) + load<f32>(bias));
  store<f32>(out, <f32>sum(second) * factor * load<f32>(weightScale, 4) + load<f32>(bias, 4), 4);
}

function sum(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    (i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3))
  );
}
