const maxSeconds = 86_400;

/** Seconds of a `Retry-After` header, at most a day. The header is a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const date = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : (date - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxSeconds);
}
