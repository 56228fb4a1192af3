import { createHash } from "node:crypto";
import { ApiError } from "@product-search/core/errors.ts";
import type { TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { OutboundError, type OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { readToken, unauthorized } from "@product-search/http-rules/requests/read-request.ts";
import type { JWTVerifyGetKey } from "jose";
import type { Authenticator } from "./authentication.ts";

export interface AgentTokensDeps {
  /** The address of the authorization server, as its tokens name it. */
  issuer: string;
  /** What its tokens must be for: the address of the endpoint, or of the whole service. */
  audiences: readonly string[];
  http: Pick<OutboundHttp, "send">;
  clock: Clock;
}

const fetchLimits = { timeoutMs: 5000, maxResponseBytes: 256 * 1024 };
/** Only signatures by a private key: with `none` or a shared secret, others could write tokens. */
const algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"];
const clockToleranceSeconds = 30;
/** After a failure, the authorization server is not asked again for this time. */
const discoveryPauseMs = 5000;

const isJwt = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/** Also accepts the tokens of an authorization server (RFC 9068). All others are those of this service. */
export function withAgentTokens(own: Authenticator, deps: AgentTokensDeps): Authenticator {
  const readKeys = createKeySource(deps);
  return {
    ...own,
    authenticate(authorization, address) {
      const token = authorization === undefined ? "" : readToken(authorization);
      if (!isJwt(token)) return own.authenticate(authorization, address);
      return verify(token, readKeys, deps);
    },
  };
}

async function verify(
  token: string,
  readKeys: () => Promise<JWTVerifyGetKey>,
  { issuer, audiences, clock }: AgentTokensDeps,
): Promise<TokenRecord> {
  const { errors, jwtVerify } = await import("jose");
  const keys = await readKeys();
  const options = {
    issuer,
    audience: [...audiences],
    algorithms,
    requiredClaims: ["exp"],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(clock.now()),
  };
  const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
    if (error instanceof ApiError || error instanceof OutboundError) throw unreachable(issuer, error);
    if (error instanceof errors.JWTExpired) throw refused("it has expired. Get a new one", error);
    if (error instanceof errors.JWTClaimValidationFailed)
      throw refused(`its ${error.claim} is not right: it must be from ${issuer} for ${audiences[0]}`, error);
    // The library's words for a response that is no set of keys.
    const noKeys = ["ERR_JOSE_GENERIC", errors.JWKSInvalid.code, errors.JWKSTimeout.code];
    if (error instanceof errors.JOSEError && noKeys.includes(error.code)) throw unreachable(issuer, error);
    if (error instanceof errors.JOSEError) throw refused(`its signature is not by a key of ${issuer}`, error);
    throw unreachable(issuer, error);
  });
  const subject = payload.sub ?? payload.client_id;
  if (typeof subject !== "string" || subject === "") throw refused("it names no subject (sub)");
  return toRecord(subject, scopesOf(payload), issuer);
}

/** Nothing of the person is kept: limits and queues count by a hash. */
function toRecord(subject: string, scopes: readonly string[], issuer: string): TokenRecord {
  const hash = createHash("sha256").update(`${issuer}\n${subject}`).digest("base64url").slice(0, 22);
  return {
    id: `agent_${hash}`,
    accountId: `agent_${hash}`,
    accountName: `agent_${hash}`,
    hint: "",
    // Whoever the server lets in, searches. It cannot give more.
    scopes: scopes.includes("search") ? ["search"] : [],
    createdAtMs: 0,
  };
}

/** `scope` by RFC 8693, or the list that some servers write. */
function scopesOf({ scope, scp }: Record<string, unknown>): readonly string[] {
  if (typeof scope === "string") return scope.split(" ");
  return Array.isArray(scp) ? scp.map(String) : [];
}

/** The keys are found by the server's metadata. Its library keeps them, and reads them again when a token has an unknown one. */
function createKeySource({ issuer, http }: AgentTokensDeps): () => Promise<JWTVerifyGetKey> {
  const read = async (url: string) => {
    const response = await http.send({ url, headers: { accept: "application/json" }, ...fetchLimits });
    return { status: response.status, text: Buffer.from(await response.bytes()).toString() };
  };
  let found: Promise<JWTVerifyGetKey> | undefined;
  let failedAtMs = -Infinity;
  const discover = async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const metadata = await readMetadata(issuer, read);
    return createRemoteJWKSet(new URL(metadata), {
      [customFetch]: async (url: string) => {
        const { status, text } = await read(url);
        return new Response(text, { status });
      },
    });
  };
  return async () => {
    if (found === undefined && performance.now() - failedAtMs < discoveryPauseMs) throw unreachable(issuer);
    found ??= discover();
    try {
      return await found;
    } catch (error) {
      found = undefined;
      failedAtMs = performance.now();
      throw unreachable(issuer, error);
    }
  };
}

/** RFC 8414, or OpenID Connect Discovery. Gives the address of the keys. */
async function readMetadata(
  issuer: string,
  read: (url: string) => Promise<{ status: number; text: string }>,
): Promise<string> {
  for (const url of metadataAddresses(issuer)) {
    const { status, text } = await read(url);
    if (status !== 200) continue;
    const { issuer: named, jwks_uri: keys }: Record<string, unknown> = JSON.parse(text);
    if (named !== issuer) throw new Error(`${url} is the metadata of ${String(named).slice(0, 200)}.`);
    if (typeof keys === "string") return keys;
  }
  throw new Error(`${issuer} has no metadata with a jwks_uri.`);
}

function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

function refused(reason: string, cause?: unknown): ApiError {
  const error = unauthorized("invalid_token", `the token is not valid: ${reason}.`);
  error.cause = cause;
  return error;
}

function unreachable(issuer: string, cause?: unknown): ApiError {
  return new ApiError("unavailable", `The authorization server ${issuer} gives no keys. Try again later.`, {
    cause,
    retryAfterSeconds: 5,
  });
}
