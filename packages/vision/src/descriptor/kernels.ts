import { instantiateKernels } from "@product-search/kernels";

const page = 65_536;

/** Matrix arithmetic in WebAssembly, in its own memory; see `packages/kernels`. */
export interface Kernels {
  /** Allocates zeros inside the WebAssembly memory, where the kernels can read them. They are never freed. */
  allocate(length: number): Float32Array<ArrayBuffer>;
  /**
   * `c = a · bᵀ`. The matrices are stored row by row and come from `allocate`: `a` has `rows` rows and `b` has `columns`,
   * both of `inner` numbers, which must be a multiple of 4.
   */
  multiplyTransposed(
    a: Float32Array,
    b: Float32Array,
    c: Float32Array,
    shape: { rows: number; columns: number; inner: number },
  ): void;
}

/** `capacity` is in numbers, over all allocations together. */
export function createKernels(capacity: number): Kernels {
  const pages = Math.ceil((capacity * 4) / page) + 2;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { multiplyTransposed } = instantiateKernels("images", memory, ["multiplyTransposed"]);
  let next = page;
  return {
    allocate(length) {
      const view = new Float32Array(memory.buffer, next, length);
      next += Math.ceil(length / 4) * 16;
      return view;
    },
    multiplyTransposed(a, b, c, { rows, columns, inner }) {
      multiplyTransposed(a.byteOffset, b.byteOffset, c.byteOffset, rows, columns, inner);
    },
  };
}
