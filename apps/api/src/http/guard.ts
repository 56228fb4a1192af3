import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimit } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { TokenRecord } from "../ports/account-store.ts";
import type { Authenticator } from "./authentication.ts";
import { missingScope } from "./authentication.ts";
import { bodyLimitBytes, bodyTooLarge } from "./error-body.ts";
import type { OperationInfo } from "./operation-info.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Decides before a body is read whether the request may come in. */
export interface Guard {
  admit(operation: OperationInfo, request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
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

  function identify(
    { headers, ip }: FastifyRequest,
    reply: FastifyReply,
  ): TokenRecord | Promise<TokenRecord> {
    const refuse = (error: unknown): never => {
      if (error instanceof ApiError) count("trial", addressKey(ip), trialRateLimit, reply);
      throw error;
    };
    try {
      const token = authenticator.authenticate(headers.authorization);
      return token instanceof Promise ? token.catch(refuse) : token;
    } catch (error) {
      return refuse(error);
    }
  }

  function admitToken(token: TokenRecord, scope: string, request: FastifyRequest, reply: FastifyReply): void {
    request.token = token;
    if (!token.scopes.some((held) => held === scope)) throw missingScope(scope);
    count("token", token.id, tokenRateLimit, reply);
    checkSize(request);
  }

  return {
    admit({ scope }, request, reply) {
      if (scope === undefined) {
        count("trial", addressKey(request.ip), trialRateLimit, reply);
        return checkSize(request);
      }
      const token = identify(request, reply);
      if (token instanceof Promise) return token.then((known) => admitToken(known, scope, request, reply));
      return admitToken(token, scope, request, reply);
    },
  };
}

function checkSize({ headers }: FastifyRequest): void {
  if (Number(headers["content-length"] ?? 0) > bodyLimitBytes) throw bodyTooLarge();
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
