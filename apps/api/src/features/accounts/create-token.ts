import { createAccessToken, hashAccessToken } from "../../domain/access-token.ts";
import type { AccountStore, Scope, TokenRecord } from "../../ports/account-store.ts";
import type { Clock } from "../../ports/clock.ts";

/** Makes a token for the account of that name. The token itself is returned this once and kept nowhere. */
export async function createToken(
  { accountStore, clock }: { accountStore: AccountStore; clock: Clock },
  wanted: { account: string; scopes: readonly Scope[]; lifetimeMs?: number },
): Promise<{ token: string; record: TokenRecord }> {
  const account = await accountStore.ensureAccount(wanted.account);
  const token = createAccessToken();
  const record = await accountStore.addToken({
    accountId: account.id,
    hash: hashAccessToken(token),
    hint: token.slice(0, 8),
    scopes: wanted.scopes,
    ...(wanted.lifetimeMs !== undefined && { expiresAtMs: clock.now() + wanted.lifetimeMs }),
  });
  return { token, record };
}
