import { expect, it } from "vitest";
import { createKernels } from "../src/descriptor/compress-patches.ts";

it.each([
  [1, 1, 4],
  [3, 5, 8],
  [7, 4, 128],
])("multiplies %i rows with %i columns of %i numbers", (rows, columns, inner) => {
  const kernels = createKernels(2000);
  const a = kernels.allocate(rows * inner);
  const b = kernels.allocate(columns * inner);
  const c = kernels.allocate(rows * columns);
  for (let i = 0; i < a.length; i++) a[i] = Math.sin(i);
  for (let i = 0; i < b.length; i++) b[i] = Math.cos(3 * i);
  kernels.multiplyTransposed(a, b, c, { rows, columns, inner });
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let expected = 0;
      for (let i = 0; i < inner; i++) expected += (a[row * inner + i] ?? 0) * (b[column * inner + i] ?? 0);
      expect(c[row * columns + column]).toBeCloseTo(expected, 4);
    }
  }
});
