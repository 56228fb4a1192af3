/// <reference path="./web-assembly.d.ts" />
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** `images` works in a memory of its own, `texts` in one that threads share. */
export type KernelSet = "images" | "texts";

/** Found as a package's file, because the service is bundled. */
function fileOf(set: KernelSet): string {
  const root = dirname(createRequire(import.meta.url).resolve("@product-search/kernels/package.json"));
  return join(root, "built", `${set}.wasm`);
}

/** The named functions of a set, working in that memory. Places are in bytes. */
export function instantiateKernels<const Name extends string>(
  set: KernelSet,
  memory: WebAssembly.Memory,
  names: readonly Name[],
): Record<Name, (...numbers: number[]) => void> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readKernels(set)), { env: { memory } });
  const isComplete = (functions: object): functions is Record<Name, (...numbers: number[]) => void> =>
    names.every((name) => name in functions);
  if (!isComplete(exports)) throw new Error(`${fileOf(set)} is not the kernels: build them anew.`);
  return exports;
}

/** Throws if the file is missing or damaged, or if the processor cannot run it. */
export function checkKernels(set: KernelSet): void {
  if (WebAssembly.validate(readKernels(set))) return;
  throw new Error(
    `${fileOf(set)} cannot be compiled. Restore it from the repository, or use a processor with SIMD for WebAssembly: ` +
      "64-bit ARM, or x86-64 with SSE4.1.",
  );
}

function readKernels(set: KernelSet): Buffer {
  const file = fileOf(set);
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${file} cannot be read. Restore it from the repository.`, { cause });
  }
}
