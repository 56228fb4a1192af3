import { constants, setPriority } from "node:os";

/**
 * Lets threads that answer requests go first when the processor is short. Linux gives each thread a priority of its own;
 * elsewhere the call would slow the whole process down.
 */
export function yieldToOthers(): void {
  if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}
