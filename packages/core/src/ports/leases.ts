/** Jobs that must be done by one node of a cluster at a time. */
export type Job = "pictures" | "cleanup" | "text-index" | "vector-index" | "popularity" | "backup";

/** The right to do a job. It expires if its holder stops renewing it. */
export interface Lease {
  job: Job;
  /** Increases with every holder. Each write of the job contains it, and the database refuses older ones. */
  number: number;
  /** Asks the database whether it is still the newest of its job. A true reply may be outdated when it arrives. */
  isHeld(): Promise<boolean>;
  /** Aborted when the lease is lost or released: the job must stop. */
  signal: AbortSignal;
}

export interface Leading {
  /** Resolves when `stop` is complete. Rejects if the work failed, so that a supervisor can react. */
  ended: Promise<void>;
  /** Ends the work and releases the lease, so that another node takes over at once. */
  stop(): Promise<void>;
}

/** Assigns jobs that must not run twice at the same time. */
export interface Leases {
  /**
   * Runs the work whenever this node gets the job's lease. `work` must end when the lease's signal aborts: its later
   * writes are refused. If it ends before, it gives the lease up: other nodes can have it first.
   */
  lead(job: Job, work: (lease: Lease) => Promise<void>): Leading;
}

/** A write of a node whose lease another node has now. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor({ job, number }: Pick<Lease, "job" | "number">) {
    super(`Lease ${number} of the job "${job}" has passed to another node: nothing was written.`);
  }
}
