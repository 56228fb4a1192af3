/** Limits the requests of a second, for all that share it: the threads of one process, or all nodes. */
export interface SecondQuota {
  /**
   * Reserves the earliest time for one request that is at least `minWaitMs` from now. Returns how long to wait for it. If that is
   * more than `maxWaitMs`, nothing is reserved.
   */
  reserve(perSecond: number, minWaitMs: number, maxWaitMs: number): Promise<number>;
}
