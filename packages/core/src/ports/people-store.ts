import type { Scope } from "./account-store.ts";

/** Somebody who works in the console. */
export interface Person {
  id: string;
  name: string;
  accountId: string;
  scopes: Scope[];
  createdAtMs: number;
  /** Sessions that began before are over. */
  sessionsFromMs: number;
  revokedAtMs?: number;
  signedInAtMs?: number;
  /** The expiry of an invitation that was not used yet. */
  invitedUntilMs?: number;
}

/** People and their invitations. Only the SHA-256 of an invitation's code is stored. */
export interface PeopleStore {
  /** A new person, or new scopes and another invitation for one of that name. Somebody who was revoked is admitted again. */
  invite(invitation: {
    name: string;
    accountId: string;
    scopes: readonly Scope[];
    hash: Uint8Array;
    untilMs: number;
  }): Promise<Person>;
  /** Undefined if there is no such invitation, or it has expired. */
  findInvited(hash: Uint8Array): Promise<Person | undefined>;
  /** Uses the invitation up; likewise. */
  accept(hash: Uint8Array): Promise<Person | undefined>;
  find(id: string): Promise<Person | undefined>;
  list(): Promise<Person[]>;
  /** Ends the person's sessions and invitation. Undefined if nobody has that name, or it was already done. */
  revoke(name: string): Promise<Person | undefined>;
}
