/**
 * c = a · bᵀ for row-major matrices: a has `rows` rows, b `columns` rows, both of `inner` numbers, a multiple of 4.
 * This loop takes most of the time of describing an image. It is compiled to WebAssembly because JavaScript has no SIMD.
 */
export function multiplyTransposed(a: usize, b: usize, c: usize, rows: i32, columns: i32, inner: i32): void {
  const stride = (<usize>inner) << 2;
  const whole = columns & ~3;
  for (let row = 0; row < rows; row++) {
    const aRow = a + <usize>row * stride;
    let out = c + ((<usize>row * <usize>columns) << 2);
    let column = 0;
    for (; column < whole; column += 4) {
      const b0 = b + <usize>column * stride;
      const b1 = b0 + stride;
      const b2 = b1 + stride;
      const b3 = b2 + stride;
      let s0 = f32x4.splat(0);
      let s1 = f32x4.splat(0);
      let s2 = f32x4.splat(0);
      let s3 = f32x4.splat(0);
      for (let at: usize = 0; at < stride; at += 16) {
        const left = v128.load(aRow + at);
        s0 = f32x4.add(s0, f32x4.mul(left, v128.load(b0 + at)));
        s1 = f32x4.add(s1, f32x4.mul(left, v128.load(b1 + at)));
        s2 = f32x4.add(s2, f32x4.mul(left, v128.load(b2 + at)));
        s3 = f32x4.add(s3, f32x4.mul(left, v128.load(b3 + at)));
      }
      store<f32>(out, sum(s0));
      store<f32>(out, sum(s1), 4);
      store<f32>(out, sum(s2), 8);
      store<f32>(out, sum(s3), 12);
      out += 16;
    }
    for (; column < columns; column++) {
      const bRow = b + <usize>column * stride;
      let s = f32x4.splat(0);
      for (let at: usize = 0; at < stride; at += 16) {
        s = f32x4.add(s, f32x4.mul(v128.load(aRow + at), v128.load(bRow + at)));
      }
      store<f32>(out, sum(s));
      out += 4;
    }
  }
}

function sum(lanes: v128): f32 {
  return (
    f32x4.extract_lane(lanes, 0) +
    f32x4.extract_lane(lanes, 1) +
    (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3))
  );
}
