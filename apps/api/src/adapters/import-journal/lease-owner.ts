import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Machine, process, and a random part, because threads share a process. */
export function newLeaseOwner(): string {
  return `${machine} ${process.pid} ${randomUUID()}`;
}

/** Only dead processes of this machine can be detected. For others, the lease decides. */
export function isOwnerDead(owner: string): boolean {
  const [owningMachine, pid] = owner.split(" ");
  if (owningMachine !== machine) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

const machine = nameMachine();

/**
 * The scope in which process ids are unique. Containers may share a host name and have separate processes. On Linux,
 * the boot id and the namespace of process ids distinguish them.
 */
function nameMachine(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()}/${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
