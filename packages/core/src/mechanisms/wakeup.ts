import type { UntilChange } from "../ports/until-change.ts";

/** For work that follows a store, and has also reasons of its own to go on. */
export interface Wakeup {
  /** Ends the wait, or the next one. */
  signal(): void;
  /** Waits for a signal, or for a change as `UntilChange` says. */
  wait(...time: Parameters<UntilChange>): Promise<void>;
}

export function createWakeup(untilChange: UntilChange): Wakeup {
  let isSignalled = false;
  let wake = () => {};
  /** It goes on after a signal, so that none is left behind. */
  let change: Promise<void> | undefined;
  return {
    signal() {
      isSignalled = true;
      wake();
    },
    async wait(...time) {
      if (change === undefined) {
        change = untilChange(...time).finally(() => {
          change = undefined;
        });
        // Between two waits, nothing else would handle its failure. It fails the next wait, too, if it lasts.
        change.catch(() => {});
      }
      if (!isSignalled) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await Promise.race([promise, change]);
      }
      isSignalled = false;
    },
  };
}
