import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

const low = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Gives threads that handle requests precedence when CPU time is scarce. On Linux each thread has its own priority;
 * elsewhere the call would slow down the whole process.
 */
export function lowerPriority(): void {
  if (process.platform === "linux") setPriority(0, low);
}

/**
 * The same for the thread pool that decodes images, which is half of the work for an image. The whole process shares the
 * pool, but no text search waits for it.
 */
export function lowerDecoderPriority(): void {
  if (process.platform !== "linux") return;
  const tasks = "/proc/self/task";
  for (const task of readdirSync(tasks)) {
    if (readFileSync(`${tasks}/${task}/comm`, "utf8").startsWith("libuv-worker"))
      setPriority(Number(task), low);
  }
}
