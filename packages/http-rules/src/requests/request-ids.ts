import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Identifiers that are unique across threads and processes. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(9).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The client's own identifier, if it is safe to log. */
export function sentRequestId(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined;
}
