import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import {
  scopes as allScopes,
  type PeopleStore,
  type Person,
  type Scope,
  type TokenRecord,
} from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { createProxyTrust } from "./client-network.ts";

/** The console calls the operations of the spec under this path: `/api/v1` takes tokens alone. */
const consolePath = "/console";
const cookieName = "product_search_session";
/** Of the identifiers of people whom a proxy names: they have no session that could end. */
export const proxyPrefix = "proxy ";
const sessionMs = 12 * 3600 * 1000;

export interface ConsoleSessions {
  /** Who works in the console. Throws `unauthorized` without a session, and `forbidden` for a write from another page. */
  authenticate(request: FastifyRequest): Promise<TokenRecord>;
  /** Throws `forbidden` for a write from another page. */
  assertOwnPage(request: FastifyRequest): void;
  /** Begins a session of this browser. */
  begin(reply: FastifyReply, person: Person): void;
  end(reply: FastifyReply): void;
}

export interface ConsoleSessionsDeps {
  config: Pick<Config, "publicUrl" | "trustProxy" | "authProxyHeader" | "authProxyGroupsHeader">;
  peopleStore: Pick<PeopleStore, "find">;
  /** Of people whom the proxy admits. */
  findAccount(): Promise<{ id: string; name: string }>;
  /** Sign sessions: the first signs, each is accepted. */
  keys: () => readonly [Buffer, ...Buffer[]];
  clock: Clock;
}

/** The paths of the console's requests: the service handles them as those of the interface. */
export function rewriteConsoleUrl(request: IncomingMessage): string {
  const { url = "/" } = request;
  return url.startsWith(`${consolePath}/api/`) ? url.slice(consolePath.length) : url;
}

export function isFromConsole({ originalUrl }: Pick<FastifyRequest, "originalUrl">): boolean {
  return originalUrl.startsWith(`${consolePath}/`);
}

/**
 * Sessions in signed cookies. Behind an authenticating proxy there are none: its header names the person with every request.
 */
export function createConsoleSessions(deps: ConsoleSessionsDeps): ConsoleSessions {
  const { config, peopleStore, keys, clock } = deps;
  const { authProxyHeader, authProxyGroupsHeader } = config;
  const isProxy = createProxyTrust(config.trustProxy);
  const sign = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const secure = config.publicUrl.startsWith("https:") ? "; Secure" : "";
  const cookie = (value: string, maxAgeSeconds: number): string =>
    `${cookieName}=${value}; Path=${consolePath}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;

  /** A header of a proxy is believed only if the proxy itself sent it. */
  function namedByProxy({ headers, raw }: FastifyRequest): TokenRecord["person"] {
    if (authProxyHeader === undefined || !isProxy(raw.socket.remoteAddress)) return undefined;
    const value = headers[authProxyHeader];
    return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 200) : undefined;
  }

  function scopesFromProxy({ headers }: FastifyRequest): Scope[] {
    if (authProxyGroupsHeader === undefined) return ["search", "merchandising"];
    const groups = String(headers[authProxyGroupsHeader] ?? "")
      .split(",")
      .map((group) => group.trim().replace(/^product-search-/, ""));
    return allScopes.filter((scope) => groups.includes(scope));
  }

  async function personOf(request: FastifyRequest): Promise<Person | undefined> {
    const value = readCookie(request.headers.cookie);
    const [id = "", began = "", signature = ""] = value?.split(".") ?? [];
    const given = Buffer.from(signature, "base64url");
    const isSigned = keys().some((key) => {
      const expected = sign(key, `${id}.${began}`);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    const beganMs = Number(began);
    if (!isSigned || beganMs + sessionMs <= clock.now()) return undefined;
    const person = await peopleStore.find(id);
    return person === undefined || person.revokedAtMs !== undefined || beganMs < person.sessionsFromMs
      ? undefined
      : person;
  }

  function assertOwnPage(request: FastifyRequest): void {
    const isWrite = request.method !== "GET" && request.method !== "HEAD";
    if (isWrite && !isOwnPage(request, config.publicUrl)) throw otherPage();
  }

  return {
    assertOwnPage,
    async authenticate(request) {
      assertOwnPage(request);
      const name = namedByProxy(request);
      if (name !== undefined) {
        const account = await deps.findAccount();
        return sessionRecord(proxyPrefix + name, name, account, scopesFromProxy(request), 0);
      }
      const person = await personOf(request);
      if (person === undefined) throw signedOut();
      const { id, accountId, scopes, createdAtMs } = person;
      return sessionRecord(
        id,
        person.name,
        { id: accountId, name: consolePath.slice(1) },
        scopes,
        createdAtMs,
      );
    },
    begin(reply, { id }) {
      const text = `${id}.${clock.now()}`;
      const signature = sign(keys()[0], text).toString("base64url");
      reply.header("set-cookie", cookie(`${text}.${signature}`, sessionMs / 1000));
    },
    end(reply) {
      reply.header("set-cookie", cookie("", 0));
    },
  };
}

/** As a token, because the same limits and permissions hold. */
function sessionRecord(
  id: string,
  person: string,
  account: { id: string; name: string },
  scopes: Scope[],
  createdAtMs: number,
): TokenRecord {
  // Rules are made from results: who merchandises also searches.
  const all: Scope[] = scopes.includes("merchandising") ? [...new Set<Scope>(["search", ...scopes])] : scopes;
  return { id, person, accountId: account.id, accountName: account.name, hint: "", scopes: all, createdAtMs };
}

function readCookie(header: string | undefined): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [name, value] = part.trim().split("=", 2);
    if (name === cookieName) return value;
  }
  return undefined;
}

/** Browsers name the page's origin with every write. */
function isOwnPage({ headers, host }: FastifyRequest, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  return page.host === host || page.origin === new URL(publicUrl).origin;
}

function signedOut(): ApiError {
  return new ApiError(
    "unauthorized",
    "Nobody is signed in, or the session is over. Open an invitation (`./product-search invite NAME --scopes search`), or use a token.",
  );
}

function otherPage(): ApiError {
  return new ApiError("forbidden", "Origin: this request did not come from the console's own page.");
}
