import type { Clock } from "@product-search/core/ports/clock.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";

/** The service's defaults. */
const policies = {
  trial: { requests: 120, seconds: 60 },
  token: { requests: 3000, seconds: 60 },
};
const slots = 4096;

export type RateHeaders = (policy: keyof typeof policies, key: string) => Record<string, string>;

/** The headers that tell a client how much is left. The mock counts and refuses nobody: `Prefer: code=429` does. */
export function createRateHeaders(clock: Clock): RateHeaders {
  const limiter = createRateLimiter(createRateMemory(slots), clock.now);
  return (policy, key) => {
    const limit = policies[policy];
    const { remaining, resetSeconds } = limiter.take(`${policy} ${key}`, limit);
    return {
      "ratelimit-policy": `"${policy}";q=${limit.requests};w=${limit.seconds}`,
      ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    };
  };
}

/** Of a response that says "too many requests": nothing is left, for as long as its `Retry-After` says. */
export function usedUp(
  headers: Readonly<Record<string, string>>,
  retryAfter: string,
): Record<string, string> {
  const { ratelimit = "" } = headers;
  return { ...headers, ratelimit: ratelimit.replace(/r=\d+;t=\d+/, `r=0;t=${retryAfter}`) };
}
