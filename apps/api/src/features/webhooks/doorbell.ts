export interface Doorbell {
  /** Until it rings, or for so long. */
  wait(ms: number): Promise<void>;
  /** Ends the wait; without one it is not heard. */
  ring(): void;
}

export function createDoorbell(): Doorbell {
  let ring = () => {};
  return {
    async wait(ms) {
      const rung = Promise.withResolvers<void>();
      const timer = setTimeout(rung.resolve, ms);
      ring = rung.resolve;
      await rung.promise;
      clearTimeout(timer);
    },
    ring: () => ring(),
  };
}
