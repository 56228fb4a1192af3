import { randomBytes } from "node:crypto";
import { hashAccessToken } from "@product-search/core/domain/access-token.ts";
import type { Actor, PeopleStore, Person, Scope } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ServiceTransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";

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
