import { once } from "node:events";
import { Worker } from "node:worker_threads";

export type Behaviour = { kind: "healthy"; delayMs: number } | { kind: (typeof hostileKinds)[number] };

export const hostileKinds = [
  "hangs",
  "resets",
  "answers garbage",
  "answers 429",
  "sends 50 MB",
  "sends a byte a second",
] as const;

export interface BenchUpstream {
  url: string;
  behave(behaviour: Behaviour): void;
  /** Since the last change of behaviour. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

/** Starts a marketplace on a separate thread. */
export async function startBenchUpstream(): Promise<BenchUpstream> {
  const worker = new Worker(new URL("./upstream-thread.ts", import.meta.url));
  const [{ port }] = await once(worker, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    behave: (behaviour) => worker.postMessage(behaviour),
    async requests() {
      worker.postMessage("count");
      const [{ requests }] = await once(worker, "message");
      return requests;
    },
    async close() {
      await worker.terminate();
    },
  };
}
