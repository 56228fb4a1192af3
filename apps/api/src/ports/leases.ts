/** Jobs that must be done by one node of a cluster at a time. */
export type Job = "pictures" | "cleanup" | "text-index" | "vector-index";

/** The right to do a job. It ends by itself when its holder falls silent. */
export interface Lease {
  job: Job;
  /** Grows with every holder. It goes into each write of the job: the store refuses an older one. */
  number: number;
  /** Aborted when the lease is lost or given up: the job must stop. */
  signal: AbortSignal;
}

export interface Leading {
  /** Whether this node does the job now. */
  leads(): boolean;
  /** Settles when `stop` is done; rejects when the work failed, for whoever supervises it. */
  ended: Promise<void>;
  /** Ends the work and gives the lease up, so that another node takes over at once. */
  stop(): Promise<void>;
}

/** Who does a job that must not be done twice at a time. */
export interface Leases {
  /**
   * Runs the work whenever this node gets the job's lease. `work` goes on until the lease's signal; after that nothing it
   * writes is accepted.
   */
  lead(job: Job, work: (lease: Lease) => Promise<void>): Leading;
}

/** A write of a holder whose lease has passed to another node. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor({ job, number }: Pick<Lease, "job" | "number">) {
    super(`Lease ${number} of the job "${job}" has passed to another node: nothing was written.`);
  }
}
