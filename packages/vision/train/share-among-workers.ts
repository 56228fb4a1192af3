import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/** Which images a worker takes: every `step`th, starting with `first`. */
export interface Share {
  readonly first: number;
  readonly step: number;
}

/** Runs the module at `url` in one worker per core, each with the task and its share as `workerData`. */
export async function shareAmongWorkers(url: URL, task: object, count: number): Promise<void> {
  const step = Math.max(1, Math.min(availableParallelism(), count));
  const run = (first: number) =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(url, { workerData: { ...task, first, step } });
      worker.once("error", reject);
      worker.once("exit", (code) =>
        code === 0 ? resolve() : reject(new Error(`A worker ended with ${code}.`)),
      );
    });
  await Promise.all(Array.from({ length: step }, (_, first) => run(first)));
}
