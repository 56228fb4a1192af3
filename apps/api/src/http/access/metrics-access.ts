import { createHash, timingSafeEqual } from "node:crypto";

/** Whether the header carries the token; takes the same time for every wrong one. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";
export const metricsRefusal = "Authorization: send `Authorization: Bearer <METRICS_TOKEN>`.";
export const metricsChallenge = 'Bearer realm="metrics"';
