import type { Cluster, ClusterRequest } from "../src/cluster/cluster.ts";

export interface PausedCluster extends Cluster {
  /** Resolves when the pause has begun. */
  readonly paused: Promise<void>;
  /** Ends the pause. */
  resume(): void;
}

/** Like a process that is stopped just before the first such request, and continues later as if nothing had happened. */
export function pauseBefore(cluster: Cluster, isPoint: (request: ClusterRequest) => boolean): PausedCluster {
  const paused = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  let isPaused = false;
  return {
    ...cluster,
    paused: paused.promise,
    resume: resumed.resolve,
    async request(request, signal) {
      isPaused ||= isPoint(request);
      if (isPaused) {
        paused.resolve();
        await resumed.promise;
      }
      return cluster.request(request, signal);
    },
  };
}
