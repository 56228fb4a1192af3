import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

const low = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lets threads that answer requests go first when the processor is short. Linux gives each thread a priority of its own;
 * elsewhere the call would slow the whole process down.
 */
export function lowerPriority(): void {
  if (process.platform === "linux") setPriority(0, low);
}

/**
 * The same for the pool of threads that decodes pictures: half of what a picture costs. The pool is the process's own, but
 * nothing that answers a text search waits for it.
 */
export function lowerDecoderPriority(): void {
  if (process.platform !== "linux") return;
  const tasks = "/proc/self/task";
  for (const task of readdirSync(tasks)) {
    if (readFileSync(`${tasks}/${task}/comm`, "utf8").startsWith("libuv-worker"))
      setPriority(Number(task), low);
  }
}
