import type { Clock } from "@product-search/core/ports/clock.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Json } from "./profile/expression.ts";
import type { OAuthAuth, Profile } from "./profile/profile.ts";
import type { RequestGate } from "./request-gate.ts";
import { type Deadline, type Sent, sendSafely, UpstreamError } from "./send-safely.ts";

const maxSeconds = 86_400;

/** Seconds of a `Retry-After` header, at most a day. The header is a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const date = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : (date - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxSeconds);
}

const defaultLifeSeconds = 3600;

/** A token is renewed this long before it expires, or at nine tenths of a short lifetime. */
const marginSeconds = 60;

/** A separate time limit, not that of one caller: other callers wait for the same token. */
const requestMs = 2500;

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

interface AccessTokenSettings {
  auth: OAuthAuth;
  /** The value of an environment variable that the profile names. */
  secret(name: string): string;
  outboundHttp: Pick<OutboundHttp, "send">;
  clock: Clock;
}

interface AccessTokens {
  /** Returns a token that is valid for some time. Concurrent callers share one request for it. */
  current(): Promise<string>;
  /** Call it when the marketplace refused this token: the next call requests a new one. */
  refuse(token: string): void;
}

/** OAuth 2.0 client credentials (RFC 6749, section 4.4). */
function createAccessTokens({ auth, secret, outboundHttp, clock }: AccessTokenSettings): AccessTokens {
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

/** The JSON of a response, in any character encoding. */
function readResponse(bytes: Uint8Array, contentType: string | undefined): Json {
  try {
    const value: Json = JSON.parse(decode(bytes, contentType));
    return value;
  } catch (cause) {
    throw new UpstreamError("unreadable", "returned a response that is not JSON.", { cause });
  }
}

function decode(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // If the declared encoding is missing or wrong, it is nearly always Windows-1252, in which every byte is valid.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The parts of a request that do not come from the search: pagination and authentication. */
interface RequestParts {
  text: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

export interface BuiltRequest {
  url: string;
  headers: Record<string, string>;
}

/** Inserts the search into the template of the profile. */
function buildRequest({ baseUrl, request }: Profile, parts: RequestParts): BuiltRequest {
  const path = fill(request, request.path, parts.text, percentEncode);
  const address = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const url = new URL(address);
  // A search for ".." must not leave the path that the operator wrote.
  if (!url.href.startsWith(`${new URL(baseUrl).origin}/`) || /(^|\/)\.{1,2}(\/|$)/.test(path)) {
    throw new UpstreamError("refused", "cannot be searched for this text. Search for words.");
  }
  for (const [name, template] of Object.entries(request.query ?? {})) {
    url.searchParams.set(name, fill(request, template, parts.text, asItIs));
  }
  for (const [name, value] of Object.entries(parts.query)) url.searchParams.set(name, value);
  return { url: url.href, headers: { accept: "application/json", ...request.headers, ...parts.headers } };
}

function fill(
  { words }: Profile["request"],
  template: string,
  text: string,
  encode: (text: string) => string,
): string {
  const filledWords = (): string =>
    words
      ? text
          .split(" ")
          .map((word) => words.each.replaceAll("{word}", () => encode(word)))
          .join(words.join)
      : "";
  return template.replace(/\{(query|words)\}/g, (_, name) =>
    name === "query" ? encode(text) : filledWords(),
  );
}

function asItIs(text: string): string {
  return text;
}

/** Also encodes parentheses and quotes, which have a meaning in the paths of some marketplaces. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
