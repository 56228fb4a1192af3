import { hashAccessToken, isAccessToken } from "../../domain/access-token.ts";
import { isInNetworks } from "../../domain/networks.ts";
import { ApiError } from "../../errors.ts";
import type { AccountStore, TokenRecord } from "../../ports/account-store.ts";
import type { Clock } from "../../ports/clock.ts";
import { readToken, unauthorized } from "./bearer-token.ts";

/** While the database can be read, a revoked token stops working after this time at the latest. */
const rememberedMs = 500;
/** While the database cannot be read, a token that was valid less than this time ago is accepted. */
const believedMs = 60_000;
/** After this time without a reply, the database counts as unreachable. It is queried again a moment later. */
const storeTimeoutMs = 400;
const maxCachedTokens = 10_000;

interface Remembered {
  record: TokenRecord;
  /** When the database confirmed it. */
  foundAtMs: number;
  /** The database is not queried before this time. */
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
}

export function createAuthenticator({
  accountStore,
  clock,
}: {
  accountStore: AccountStore;
  clock: Clock;
}): Authenticator {
  const remembered = new Map<string, Remembered>();
  const uses = new Map<string, number>();

  async function find(token: string): Promise<TokenRecord | undefined> {
    if (!isAccessToken(token)) return undefined;
    const record = await accountStore.findTokenByHash(hashAccessToken(token));
    if (!record) {
      remembered.delete(token);
      return undefined;
    }
    if (remembered.size >= maxCachedTokens) remembered.clear();
    const foundAtMs = clock.now();
    remembered.set(token, { record, foundAtMs, untilMs: foundAtMs + rememberedMs });
    return record;
  }

  /** The token in the database, or its cached state if the database cannot be read now. */
  async function findOrBelieve(token: string): Promise<TokenRecord | undefined> {
    const found = find(token);
    const known = remembered.get(token);
    if (known === undefined || known.foundAtMs + believedMs <= clock.now()) return found;
    const believe = () => {
      known.untilMs = clock.now() + rememberedMs;
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
      if (known && known.untilMs > clock.now()) return use(known.record, address);
      return findOrBelieve(token).then((record) => use(record, address));
    },
    async flush() {
      if (uses.size === 0) return;
      const gathered = new Map(uses);
      uses.clear();
      try {
        await accountStore.recordUses(gathered);
      } catch (error) {
        for (const [id, usedAtMs] of gathered) if (!uses.has(id)) uses.set(id, usedAtMs);
        throw error;
      }
    },
  };
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
