export interface Wakeup {
  /** Until it rings, or for so long. */
  wait(ms: number): Promise<void>;
  /** Ends the wait; without one it is not heard. */
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
