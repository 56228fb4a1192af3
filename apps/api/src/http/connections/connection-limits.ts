/** How much memory and time connections may take. */
export interface ConnectionLimits {
  /** Memory for bodies over 64 kB; each takes up to four times its size while it is read, parsed and decoded. */
  largeBudgetBytes: number;
  /** Memory of their own for smaller bodies, so that uploads never keep a query out. */
  smallBudgetBytes: number;
  /** How often what is still arriving is looked at. */
  checkEveryMs: number;
  headersTimeoutMs: number;
  /** A body has this long before its speed matters. */
  bodyGraceMs: number;
  bodyBytesPerSecond: number;
  /** A body that is not whole by then is refused, whatever its speed. */
  bodyTimeoutMs: number;
  /** What is read and dropped of a body whose request was responded to before. */
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
