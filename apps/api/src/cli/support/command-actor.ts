import { hostname, userInfo } from "node:os";
import type { Actor } from "@product-search/core/ports/audit-log.ts";

/** The user and machine that run this command, for the audit log. */
export function commandActor(): Actor {
  return { kind: "command", user: userName(), host: hostname() };
}

/** In a container, the user id may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
