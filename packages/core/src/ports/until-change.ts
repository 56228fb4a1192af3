/**
 * Waits this long, and then until the store may have changed since the last call, whichever process changed it, or for `restMs`.
 * `pause` is the simplest one: it polls.
 */
export type UntilChange = (ms: number, signal: AbortSignal, restMs?: number) => Promise<void>;
