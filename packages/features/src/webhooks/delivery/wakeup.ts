export interface Wakeup {
  /** Waits until `ring` is called, or for this time. */
  wait(ms: number): Promise<void>;
  /** Ends a wait. Without one it has no effect. */
  signal(): void;
}

export function createWakeup(): Wakeup {
  let signal = () => {};
  return {
    async wait(ms) {
      const signalled = Promise.withResolvers<void>();
      const timer = setTimeout(signalled.resolve, ms);
      signal = signalled.resolve;
      await signalled.promise;
      clearTimeout(timer);
    },
    signal: () => signal(),
  };
}
