import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { Lease, Leases } from "@product-search/core/ports/leases.ts";

const pauseMs = 1000;

/** With a single node, it does every job. */
export function createSingleNodeLeases(): Leases {
  return {
    lead(job, work) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const ended = repeat((number) => work({ job, number, isHeld: async () => true, signal }), signal);
      return {
        ended,
        async stop() {
          stopping.abort();
          await ended;
        },
      };
    },
  };
}

/** Work that has ended begins again, as it does on one of many nodes. */
async function repeat(work: (number: Lease["number"]) => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let number = 1; !signal.aborted; number += 1) {
    try {
      await work(number);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await pause(pauseMs, signal);
  }
}
