/** Counts the requests of the last 24 hours, across restarts, processes and nodes. */
export interface DayQuota {
  /** Takes up to `wanted` of what `perDay` leaves in any 24 hours; returns the number it got. */
  take(perDay: number, count: number): Promise<number>;
}
