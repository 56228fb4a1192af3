/** The part of the WebAssembly interface that kernels.ts uses: @types/node leaves it to the DOM's types. */
declare namespace WebAssembly {
  function validate(code: Uint8Array): boolean;
  class Memory {
    constructor(limits: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
