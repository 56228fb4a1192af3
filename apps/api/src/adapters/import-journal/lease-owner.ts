import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Host, process and a part of its own, because threads share a process. */
export function newLeaseOwner(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`;
}

/** Only of this machine's processes can it be seen that they are dead; for others the lease decides. */
export function isOwnerDead(owner: string): boolean {
  const [host, pid] = owner.split(" ");
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
