import { createHash, timingSafeEqual } from "node:crypto";

/** Whether the header contains the token. Takes the same time for every wrong token. */
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
