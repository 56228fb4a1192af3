import type { Leases } from "../../ports/leases.ts";

/** With a single node, it does every job. */
export function createSingleNodeLeases(): Leases {
  return {
    lead(job, work) {
      const stopping = new AbortController();
      const ended = work({ job, number: 1, isHeld: async () => true, signal: stopping.signal });
      return {
        leads: () => !stopping.signal.aborted,
        ended,
        async stop() {
          stopping.abort();
          await ended;
        },
      };
    },
  };
}
