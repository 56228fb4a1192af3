/** The part of the WebAssembly interface that is used: @types/node leaves it to the DOM's types. */
declare namespace WebAssembly {
  function validate(code: Uint8Array): boolean;
  /** In units of 64 kB. */
  interface Limits {
    readonly initial: number;
    readonly maximum: number;
  }
  interface Memory<Numbers extends ArrayBufferLike = ArrayBufferLike> {
    readonly buffer: Numbers;
    /** Returns the size before. Threads that share the memory may call it at the same time. */
    grow(pages: number): number;
  }
  const Memory: {
    new (limits: Limits & { readonly shared: true }): Memory<SharedArrayBuffer>;
    new (limits: Limits): Memory<ArrayBuffer>;
  };
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
