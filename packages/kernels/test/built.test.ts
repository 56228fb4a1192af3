import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

it.each(["images", "texts"])("is the build of the files in assembly: %s", (set) => {
  const folder = mkdtempSync(join(tmpdir(), "kernels-"));
  try {
    const out = join(folder, "kernels.wasm");
    execFileSync("pnpm", ["run", set, "--outFile", out], { cwd: root, stdio: "pipe" });
    expect(readFileSync(out).equals(readFileSync(join(root, "built", `${set}.wasm`)))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
