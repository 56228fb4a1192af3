/** Each list has one line per fault of the cluster that was found. */
export interface Findings {
  /** Acknowledged, and not there. */
  lost: string[];
  /** There, and nobody asked for it. */
  invented: string[];
  /** An effect that happened twice. */
  doubled: string[];
}

export function createFindings(): Findings {
  return { lost: [], invented: [], doubled: [] };
}
