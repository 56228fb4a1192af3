import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Machine, process and a part of its own, because threads share a process. */
export function newLeaseOwner(): string {
  return `${machine} ${process.pid} ${randomUUID()}`;
}

/** Only of this machine's processes can it be seen that they are dead; for others the lease decides. */
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
 * Where process numbers mean the same. Containers of one image may share a host name and have each their own processes:
 * on Linux the start of the kernel and the namespace of process numbers tell them apart.
 */
function nameMachine(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()}/${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
