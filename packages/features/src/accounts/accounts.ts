import { randomBytes } from "node:crypto";
import { createAccessToken, hashAccessToken } from "@product-search/core/domain/access-token.ts";
import type { Actor, PeopleStore, Person, Scope, TokenRecord } from "@product-search/core/ports/accounts.ts";
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

interface PeopleDeps {
  unitOfWork: UnitOfWork<ServiceTransactionStores>;
  clock: Clock;
}

/** People share one account: a webhook that one of them created is everybody's. */
export const consoleAccount = "console";
/** Of an invitation. */
const invitedForMs = 7 * 24 * 3600 * 1000;

/** Invites somebody to the console. The code is returned only now and not stored. */
export function invitePerson(
  { unitOfWork, clock }: PeopleDeps,
  actor: Actor,
  { name, scopes }: { name: string; scopes: readonly Scope[] },
): Promise<{ code: string; person: Person }> {
  const code = randomBytes(24).toString("base64url");
  return unitOfWork.transact(actor, async ({ accountStore, peopleStore, audit }) => {
    const { id: accountId } = await accountStore.ensureAccount(consoleAccount);
    const untilMs = clock.now() + invitedForMs;
    const invitation = { name, accountId, scopes, hash: hashAccessToken(code), untilMs };
    const person = await peopleStore.invite(invitation);
    await audit.record("person.invited", person.id, { name, scopes: scopes.join(",") });
    return { code, person };
  });
}

/** Who signs in with the code, which is used up. Undefined if it is unknown, used or expired. */
export async function acceptInvitation(
  {
    unitOfWork,
    peopleStore,
  }: Pick<PeopleDeps, "unitOfWork"> & { peopleStore: Pick<PeopleStore, "findInvited"> },
  code: string,
  address: string,
): Promise<Person | undefined> {
  const hash = hashAccessToken(code);
  const invited = await peopleStore.findInvited(hash);
  if (invited === undefined) return undefined;
  const { name, accountId } = invited;
  return unitOfWork.transact({ kind: "person", name, accountId, address }, async (stores) => {
    const person = await stores.peopleStore.accept(hash);
    if (person !== undefined) await stores.audit.record("person.signed_in", person.id);
    return person;
  });
}

/** Ends somebody's sessions and invitation. False if nobody of that name is admitted. */
export function revokePerson(
  { unitOfWork }: Pick<PeopleDeps, "unitOfWork">,
  actor: Actor,
  name: string,
): Promise<boolean> {
  return unitOfWork.transact(actor, async ({ peopleStore, audit }) => {
    const person = await peopleStore.revoke(name);
    if (person !== undefined) await audit.record("person.revoked", person.id, { name });
    return person !== undefined;
  });
}
