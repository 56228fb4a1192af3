/** How much memory and time connections may take. */
export interface ConnectionLimits {
  /** Memory for bodies over 64 kB; each takes up to four times its size while it is read, parsed and decoded. */
  largeBudgetBytes: number;
  /**
   * Separate memory for smaller bodies, so that uploads never block a query. Each counts as 16 kB at least, so bodies
   * that are waited for stay below the 1,000 requests at which a thread sends clients away.
   */
  smallBudgetBytes: number;
  /** How often bodies that are still arriving are checked. */
  checkEveryMs: number;
  headersTimeoutMs: number;
  /** The speed of a body matters only after this time. */
  bodyGraceMs: number;
  bodyBytesPerSecond: number;
  /** A body that is not complete by then is refused, whatever its speed. */
  bodyTimeoutMs: number;
  /** How much of a body is read and dropped after its request was refused. */
  unreadBytes: number;
  unreadTimeoutMs: number;
}

const megabyte = 1024 * 1024;

export const connectionLimits: ConnectionLimits = {
  largeBudgetBytes: 64 * megabyte,
  smallBudgetBytes: 12 * megabyte,
  checkEveryMs: 1000,
  headersTimeoutMs: 20_000,
  bodyGraceMs: 10_000,
  bodyBytesPerSecond: 8 * 1024,
  bodyTimeoutMs: 60_000,
  unreadBytes: 64 * megabyte,
  unreadTimeoutMs: 30_000,
};
