import { hostname, userInfo } from "node:os";
import type { Actor } from "../../ports/audit-log.ts";

/** Whoever runs this command, as the audit log names them. */
export function commandActor(): Actor {
  return { kind: "command", user: userName(), host: hostname() };
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
