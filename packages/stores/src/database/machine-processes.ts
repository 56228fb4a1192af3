import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The scope in which process ids are unique. Containers may share a host name and have separate processes. On Linux,
 * the boot id and the namespace of process ids distinguish them.
 */
export const machine = nameMachine();

function nameMachine(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()}/${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Whether no process of this machine has this id. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
