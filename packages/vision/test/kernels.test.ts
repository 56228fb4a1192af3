import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createKernels } from "../src/descriptor/kernels.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

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

it("runs the committed build of assembly/kernels.ts", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "kernels-"));
  try {
    const out = join(folder, "kernels.wasm");
    execFileSync("pnpm", ["run", "kernels", "--outFile", out], { cwd: root, stdio: "pipe" });
    expect(readFileSync(out).equals(readFileSync(join(root, "weights/kernels.wasm")))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
