/** The usual ones at a tenth. */
export const scaledTimes = { leaseMs: 600, renewMs: 150, pollMs: 100, marginMs: 100 };
