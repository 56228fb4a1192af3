import { hashAccessToken, isAccessToken } from "@product-search/core/domain/access-token.ts";
import { isInNetworks } from "@product-search/core/domain/networks.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { AccountStore, TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { isDiskFull } from "@product-search/core/ports/imports.ts";
import type { CatalogFilters } from "@product-search/features/catalog-search/read-query.ts";
import { readTokenFilter, type TokenFilter } from "@product-search/features/catalog-search/token-filter.ts";
import {
  createSearchTextReader,
  readToken,
  unauthorized,
} from "@product-search/http-rules/requests/read-request.ts";

/** While the database can be read, a revoked token stops working after this time at the latest. */
const rememberedMs = 500;
/** While the database cannot be read, a token that was valid less than this time ago is accepted. */
const believedMs = 60_000;
/** After this time without a reply, the database counts as unreachable. It is queried again a moment later. */
const storeTimeoutMs = 400;

interface Confirmed {
  record: TokenRecord;
  /** When the database confirmed it, by the monotonic clock. */
  foundAtMs: number;
}

interface Remembered extends Confirmed {
  /** The database is not queried before this time of the monotonic clock. */
  untilMs: number;
}

export interface Authenticator {
  /**
   * The owner of the request's token; cached for tokens seen a moment ago. Throws `unauthorized` with the challenge of
   * RFC 6750, and `forbidden` if the token may not be used from that address.
   */
  authenticate(authorization: string | undefined, address: string): TokenRecord | Promise<TokenRecord>;
  /** Stores the last uses collected since the previous call. */
  flush(): Promise<void>;
  /** Confirms the tokens that any thread or node has used lately, for a time when the database cannot be read. */
  confirmUsed(): Promise<void>;
}

export function createAuthenticator({
  accountStore,
  clock,
  monotonicMs = () => performance.now(),
  maxCachedTokens = 10_000,
}: {
  accountStore: Pick<AccountStore, "findTokenByHash" | "recordUses" | "usedSince">;
  clock: Clock;
  /** The database's clock can jump back, and a revoked token would work until it has caught up. */
  monotonicMs?: (() => number) | undefined;
  maxCachedTokens?: number;
}): Authenticator {
  const remembered = new Map<string, Remembered>();
  /** By hash. */
  let confirmed = new Map<string, Confirmed>();
  const uses = new Map<string, number>();

  async function find(token: string): Promise<TokenRecord | undefined> {
    if (!isAccessToken(token)) return undefined;
    const foundAtMs = monotonicMs();
    const record = await accountStore.findTokenByHash(hashAccessToken(token));
    if (!record) {
      remembered.delete(token);
      return undefined;
    }
    remember(token, { record, foundAtMs });
    return record;
  }

  function remember(token: string, confirmed: Confirmed): void {
    // The first key of a map is the oldest one.
    remembered.delete(token);
    for (const oldest of remembered.keys()) {
      if (remembered.size < maxCachedTokens) break;
      remembered.delete(oldest);
    }
    remembered.set(token, { ...confirmed, untilMs: monotonicMs() + rememberedMs });
  }

  /** The newest state that the database confirmed, here or for another thread. */
  function newestKnown(token: string): Confirmed | undefined {
    const here = remembered.get(token);
    const elsewhere = confirmed.size === 0 ? undefined : confirmed.get(nameOf(hashAccessToken(token)));
    if (here === undefined || elsewhere === undefined) return here ?? elsewhere;
    return elsewhere.foundAtMs > here.foundAtMs ? elsewhere : here;
  }

  /** The token in the database, or its cached state if the database cannot be read now. */
  async function findOrBelieve(token: string): Promise<TokenRecord | undefined> {
    const found = find(token);
    const known = newestKnown(token);
    if (known === undefined || known.foundAtMs + believedMs <= monotonicMs()) return found;
    const believe = () => {
      remember(token, known);
      return known.record;
    };
    const silent = Promise.withResolvers<TokenRecord>();
    const timer = setTimeout(() => silent.resolve(believe()), storeTimeoutMs);
    const read = found.catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "unavailable") return believe();
      throw error;
    });
    return Promise.race([read, silent.promise]).finally(() => clearTimeout(timer));
  }

  function use(record: TokenRecord | undefined, address: string): TokenRecord {
    if (!record)
      throw unauthorized("invalid_token", "the token is unknown. Check that you copied all of it.");
    const now = clock.now();
    if (record.revokedAtMs !== undefined) {
      throw unauthorized("invalid_token", "the token was revoked. Ask the operator for a new one.");
    }
    if (record.expiresAtMs !== undefined && record.expiresAtMs <= now) {
      throw unauthorized("invalid_token", "the token has expired. Ask the operator for a new one.");
    }
    if (record.networks !== undefined && !isInNetworks(address, record.networks)) throw wrongNetwork(address);
    uses.set(record.id, now);
    return record;
  }

  return {
    authenticate(authorization, address) {
      const token = readToken(authorization);
      const known = remembered.get(token);
      if (known && known.untilMs > monotonicMs()) return use(known.record, address);
      return findOrBelieve(token).then((record) => use(record, address));
    },
    async flush() {
      if (uses.size === 0) return;
      const gathered = new Map(uses);
      uses.clear();
      try {
        await accountStore.recordUses(gathered);
      } catch (error) {
        // The next uses say the same, and a full disk has warnings of its own.
        if (isDiskFull(error)) return;
        for (const [id, usedAtMs] of gathered) if (!uses.has(id)) uses.set(id, usedAtMs);
        throw error;
      }
    },
    async confirmUsed() {
      const foundAtMs = monotonicMs();
      const used = await accountStore.usedSince(clock.now() - believedMs, maxCachedTokens);
      confirmed = new Map(used.map(({ hash, record }) => [nameOf(hash), { record, foundAtMs }]));
    },
  };
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("base64");
}

function wrongNetwork(address: string): ApiError {
  return new ApiError(
    "forbidden",
    `Authorization: the token may not be used from the address ${address}. Send the request from one of its networks, or ask the operator to add yours.`,
  );
}

/** The error for a valid token that lacks the permission. */
export function missingScope(scope: string): ApiError {
  return new ApiError(
    "forbidden",
    `Authorization: the token lacks the scope ${scope}. Ask the operator for a token that has it.`,
    {
      headers: {
        "www-authenticate": `Bearer realm="product-search", error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

const keptFilters = 1000;

/** The filters of tokens, each read once. */
export function createTokenFilters(currency: string): (token: TokenRecord) => TokenFilter | undefined {
  const readSearch = createSearchTextReader<CatalogFilters>();
  const filters = new Map<string, TokenFilter>();
  return ({ filter: text }) => {
    if (text === undefined) return undefined;
    const known = filters.get(text) ?? readTokenFilter(text, readSearch, currency);
    if (filters.size >= keptFilters) filters.clear();
    filters.set(text, known);
    return known;
  };
}
