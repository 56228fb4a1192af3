import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Identifiers that no other thread or process gives out. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(9).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The client's own identifier, when it is a harmless one. */
export function sentRequestId(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined;
}
