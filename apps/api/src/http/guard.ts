import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimit } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { Authenticator } from "./authentication.ts";
import { missingScope } from "./authentication.ts";
import { bodyLimitBytes, bodyTooLarge } from "./error-body.ts";
import type { OperationInfo } from "./operation-info.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Decides before a body is read whether the request may come in. */
export interface Guard {
  admit(operation: OperationInfo, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export interface GuardOptions {
  authenticator: Authenticator;
  limiter: RateLimiter;
  trialRateLimit: RateLimit | undefined;
  tokenRateLimit: RateLimit | undefined;
}

/**
 * In the contract's order: limit by address, token, scope, limit by token, size. The address counts where there is
 * no token to count by: for the trial search, and for tokens that do not hold, so that nobody can guess at speed.
 */
export function createGuard({ authenticator, limiter, trialRateLimit, tokenRateLimit }: GuardOptions): Guard {
  function count(policy: string, key: string, limit: RateLimit | undefined, reply: FastifyReply): void {
    if (!limit) return;
    const { allowed, remaining, resetSeconds } = limiter.take(`${policy} ${key}`, limit);
    reply.header("ratelimit-policy", `"${policy}";q=${limit.requests};w=${limit.seconds}`);
    reply.header("ratelimit", `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (allowed) return;
    throw new ApiError(
      "rate_limited",
      `More than ${limit.requests} requests in ${limit.seconds} seconds. Wait ${resetSeconds} seconds.`,
      { retryAfterSeconds: resetSeconds },
    );
  }

  return {
    async admit(operation, request, reply) {
      if (operation.scope === undefined) {
        count("trial", addressKey(request.ip), trialRateLimit, reply);
      } else {
        try {
          request.token = await authenticator.authenticate(request.headers.authorization);
        } catch (error) {
          if (error instanceof ApiError) count("trial", addressKey(request.ip), trialRateLimit, reply);
          throw error;
        }
        const { scope } = operation;
        if (!request.token.scopes.some((held) => held === scope)) throw missingScope(scope);
        count("token", request.token.id, tokenRateLimit, reply);
      }
      if (Number(request.headers["content-length"] ?? 0) > bodyLimitBytes) throw bodyTooLarge();
    },
  };
}

/** A customer's network is a /64 in IPv6: counting single addresses there would count nothing. */
function addressKey(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros =
    tail === undefined ? [] : new Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill("0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}
