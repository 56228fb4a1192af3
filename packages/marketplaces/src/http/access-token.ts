import type { Clock } from "@product-search/core/ports/clock.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { OAuthAuth } from "./profile/profile.ts";
import { readResponse } from "./read-response.ts";
import { sendSafely } from "./send-safely.ts";
import { UpstreamError } from "./upstream-error.ts";

export interface AccessTokenSettings {
  auth: OAuthAuth;
  /** The value of an environment variable that the profile names. */
  secret(name: string): string;
  outboundHttp: Pick<OutboundHttp, "send">;
  clock: Clock;
}

export interface AccessTokens {
  /** Returns a token that is valid for some time. Concurrent callers share one request for it. */
  current(): Promise<string>;
  /** Call it when the marketplace refused this token: the next call requests a new one. */
  refuse(token: string): void;
}

const defaultLifeSeconds = 3600;
/** A token is renewed this long before it expires, or at nine tenths of a short lifetime. */
const marginSeconds = 60;
/** A separate time limit, not that of one caller: other callers wait for the same token. */
const requestMs = 2500;

/** OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export function createAccessTokens({ auth, secret, outboundHttp, clock }: AccessTokenSettings): AccessTokens {
  let held: { token: string; untilMs: number } | undefined;
  let request: Promise<string> | undefined;

  async function fetchToken(): Promise<string> {
    const deadline = { latestMs: clock.now() + requestMs, signal: AbortSignal.timeout(requestMs) };
    const { status, bytes, headers } = await sendSafely(
      outboundHttp,
      tokenRequest(auth, secret),
      deadline,
      clock,
    );
    if (status >= 400 && status < 500) {
      throw new UpstreamError(
        "credentials",
        "rejected the credentials of this service. The operator must renew them.",
      );
    }
    if (status !== 200) throw new UpstreamError("failed", `did not return an access token (HTTP ${status}).`);
    const { token, lifeSeconds } = readToken(readResponse(bytes, headers["content-type"]));
    held = { token, untilMs: clock.now() + Math.max(lifeSeconds - marginSeconds, lifeSeconds * 0.9) * 1000 };
    return token;
  }

  return {
    async current() {
      if (held && clock.now() < held.untilMs) return held.token;
      request ??= fetchToken().finally(() => {
        request = undefined;
      });
      return request;
    },
    refuse(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

function tokenRequest(auth: OAuthAuth, secret: AccessTokenSettings["secret"]) {
  const [clientId, clientSecret] = [secret(auth.clientId), secret(auth.clientSecret)];
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(auth.scope !== undefined && { scope: auth.scope }),
    ...(auth.credentialsIn === "body" && { client_id: clientId, client_secret: clientSecret }),
  });
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (auth.credentialsIn !== "body") headers.authorization = `Basic ${basic(clientId, clientSecret)}`;
  return { url: auth.tokenUrl, method: "POST" as const, body: form.toString(), headers };
}

/** Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ _: text }).toString().slice(2);
  return Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString("base64");
}

function readToken(response: unknown): { token: string; lifeSeconds: number } {
  const { access_token: token, expires_in: life } = Object(response);
  if (typeof token !== "string" || !/^[\x21-\x7e]{1,8192}$/.test(token)) {
    throw new UpstreamError("credentials", "did not return a valid access token.");
  }
  const lifeSeconds = Number(life);
  return { token, lifeSeconds: lifeSeconds > 0 ? lifeSeconds : defaultLifeSeconds };
}
