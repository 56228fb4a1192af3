import { createAccessToken, hashAccessToken } from "@product-search/core/domain/access-token.ts";
import type { Actor, Scope, TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ServiceTransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";

export interface WantedToken {
  account: string;
  scopes: readonly Scope[];
  /** Without it the token never expires. */
  lifetimeMs?: number;
  /** CIDR ranges from which the token may be used; without them, from everywhere. */
  networks?: readonly string[];
  /** Makes it a public token: pages of these origins may show it; `*` stands for all. It can only search. */
  publicOrigins?: readonly string[];
  /** Filters of a catalog search, as in a query, checked by `readTokenFilter`: all that the token sees. It can only search. */
  filter?: string;
}

/** Creates a token for the account of that name. The token itself is returned only now and not stored. */
export function createToken(
  { unitOfWork, clock }: { unitOfWork: UnitOfWork<ServiceTransactionStores>; clock: Clock },
  actor: Actor,
  { account: name, scopes, lifetimeMs, networks, publicOrigins, filter }: WantedToken,
): Promise<{ token: string; record: TokenRecord }> {
  if (publicOrigins !== undefined && scopes.join() !== "search")
    throw new Error("A public token has the scope search only: whoever sees the page can use it.");
  if (filter !== undefined && scopes.join() !== "search")
    throw new Error(
      "A token with a filter has the scope search only: other scopes see and change the whole catalog.",
    );
  const token = createAccessToken();
  const expiresAtMs = lifetimeMs === undefined ? undefined : clock.now() + lifetimeMs;
  return unitOfWork.transact(actor, async ({ accountStore, audit }) => {
    const account = await accountStore.ensureAccount(name);
    const record = await accountStore.addToken({
      accountId: account.id,
      hash: hashAccessToken(token),
      hint: token.slice(0, 8),
      scopes,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(networks !== undefined && { networks }),
      ...(publicOrigins !== undefined && { publicOrigins }),
      ...(filter !== undefined && { filter }),
    });
    await audit.record("token.created", record.id, {
      account: name,
      scopes: scopes.join(","),
      ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }),
      ...(networks !== undefined && { networks: networks.join(",") }),
      ...(publicOrigins !== undefined && { publicOrigins: publicOrigins.join(",") }),
      ...(filter !== undefined && { filter }),
    });
    return { token, record };
  });
}

/** False if there is no such token, or it is already revoked. */
export function revokeToken(
  { unitOfWork }: { unitOfWork: UnitOfWork<ServiceTransactionStores> },
  actor: Actor,
  tokenId: string,
): Promise<boolean> {
  return unitOfWork.transact(actor, async ({ accountStore, audit }) => {
    const isRevoked = await accountStore.revokeToken(tokenId);
    if (isRevoked) await audit.record("token.revoked", tokenId);
    return isRevoked;
  });
}
