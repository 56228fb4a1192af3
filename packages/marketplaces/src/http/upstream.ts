import type { Clock } from "@product-search/core/ports/clock.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { createAccessTokens } from "./access-token.ts";
import { type BuiltRequest, buildRequest, type RequestParts } from "./build-request.ts";
import type { Json } from "./profile/expression.ts";
import type { Profile } from "./profile/profile.ts";
import { readResponse } from "./read-response.ts";
import type { RequestGate } from "./request-gate.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import { type Deadline, type Sent, sendSafely } from "./send-safely.ts";
import { UpstreamError } from "./upstream-error.ts";

export interface UpstreamSettings {
  profile: Profile;
  /** The value of an environment variable that the profile names. */
  secret(name: string): string;
  outboundHttp: Pick<OutboundHttp, "send">;
  gate: RequestGate;
  clock: Clock;
  /** Called with the request (secrets are masked) and with the response, whatever it is. */
  trace?: (request: BuiltRequest, response: Sent) => void;
}

/** Sends one request to the marketplace, with authentication, and checks the response. It does not retry. */
export type Ask = (text: string, parameters: Record<string, string>, deadline: Deadline) => Promise<Json>;

const defaultPauseSeconds = 1;
const blackened = "***";

export function createUpstream(settings: UpstreamSettings): Ask {
  const { profile, gate, clock, outboundHttp, trace } = settings;
  const tokens =
    profile.auth?.kind === "oauth2-client-credentials" &&
    createAccessTokens({ ...settings, auth: profile.auth });
  const hide = () => blackened;

  return async (text, parameters, deadline) => {
    const exchange = async (token: string): Promise<Sent> => {
      const parts = (secret: UpstreamSettings["secret"], shown: string) =>
        authenticate(profile, secret, shown, { text, query: parameters, headers: {} });
      const request = buildRequest(profile, parts(settings.secret, token));
      await gate.pass(deadline.latestMs, deadline.signal);
      const sent = await sendSafely(outboundHttp, request, deadline, clock);
      trace?.(buildRequest(profile, parts(hide, blackened)), sent);
      return sent;
    };
    const token = tokens ? await tokens.current() : "";
    let response = await exchange(token);
    if (response.status === 401 && tokens) {
      // Tokens can expire early: try again once with a new one.
      tokens.refuse(token);
      response = await exchange(await tokens.current());
    }
    judge(response, gate, clock);
    return readResponse(response.bytes, response.headers["content-type"]);
  };
}

function authenticate(
  { auth }: Profile,
  secret: UpstreamSettings["secret"],
  token: string,
  { text, query, headers }: RequestParts,
): RequestParts {
  if (auth === undefined) return { text, query, headers };
  if (auth.kind === "oauth2-client-credentials") {
    return { text, query, headers: { ...headers, authorization: `Bearer ${token}` } };
  }
  const key = secret(auth.secret);
  return auth.in === "query"
    ? { text, query: { ...query, [auth.name]: key }, headers }
    : { text, query, headers: { ...headers, [auth.name.toLowerCase()]: `${auth.prefix ?? ""}${key}` } };
}

function judge({ status, headers }: Sent, gate: RequestGate, clock: Clock): void {
  if (status >= 200 && status < 300) return;
  const wait = retryAfterSeconds(headers["retry-after"], clock.now());
  if (status === 429 || wait !== undefined) {
    const seconds = wait ?? defaultPauseSeconds;
    gate.pause(seconds);
    throw new UpstreamError("limited", "limits the rate of requests. Try again later.", {
      retryAfterSeconds: Math.ceil(seconds),
    });
  }
  if (status === 401 || status === 403) {
    throw new UpstreamError(
      "credentials",
      "rejected the credentials of this service. The operator must renew them.",
    );
  }
  if (status === 408 || status >= 500) {
    throw new UpstreamError("failed", `failed (HTTP ${status}). Try again later.`);
  }
  throw new UpstreamError("refused", `refused the search (HTTP ${status}).`);
}
