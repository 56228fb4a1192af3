/** A tenth of the real times. */
export const scaledTimes = { leaseMs: 600, renewMs: 150, pollMs: 100, marginMs: 100 };
