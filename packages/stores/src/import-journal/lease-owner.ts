import { randomUUID } from "node:crypto";
import { isProcessGone, machine } from "../database/machine-processes.ts";

/** Machine, process, and a random part, because threads share a process. */
export function newLeaseOwner(): string {
  return `${machine} ${process.pid} ${randomUUID()}`;
}

/** Only dead processes of this machine can be detected. For others, the lease decides. */
export function isOwnerDead(owner: string): boolean {
  const [owningMachine, pid] = owner.split(" ");
  return owningMachine === machine && isProcessGone(Number(pid));
}
