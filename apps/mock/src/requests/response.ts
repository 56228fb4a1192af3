import { type ApiError, ApiError as ServiceError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { EventStream } from "@product-search/features/handler.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import { errorBody, isWebhookPath, toApiError } from "@product-search/http-rules/responses/response-body.ts";
import { ProblemJsonError } from "../engine/prism.ts";

export interface Response {
  statusCode: number;
  headers: Record<string, string>;
  /** Text is sent as it is, events one by one, bytes under their own type, everything else as JSON. */
  body?: unknown;
}

export function isEventStream(body: unknown): body is EventStream {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** What the response to an error depends on besides the error. */
interface ErrorContext {
  url: string;
  operationId: string | undefined;
  requestId: string;
}

/** The response to an error, in the service's envelopes. */
export function errorResponse(thrown: unknown, { url, operationId, requestId }: ErrorContext): Response {
  const error = describeError(thrown);
  const where = { isWebhookPath: isWebhookPath(url), operationId };
  return {
    statusCode: error.status,
    headers: { ...error.headers },
    body: errorBody(error, where, requestId),
  };
}

/** What Prism fails with is a preference that the document does not know: all else was checked before. */
function describeError(thrown: unknown): ApiError {
  if (!(thrown instanceof ProblemJsonError)) return toApiError(thrown);
  return new ServiceError("invalid_request", `Prefer: ${thrown.message}. ${thrown.detail}`, {
    cause: thrown,
  });
}

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
