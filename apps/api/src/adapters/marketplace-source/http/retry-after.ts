const maxSeconds = 86_400;

/** Seconds of a `Retry-After` header, which is a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxSeconds);
}
