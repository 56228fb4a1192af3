import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlPeopleStore } from "./people-store.ts";

describeOnEachEngine("people", (open) => {
  async function openPeople() {
    const { db, close } = await open();
    onTestFinished(close);
    const clock = { nowMs: 1000, now: () => clock.nowMs };
    const { id: accountId } = await createSqlAccountStore({ db, clock }).ensureAccount("console");
    const people = createSqlPeopleStore({ db, clock });
    const invite = async (name: string, scopes = ["search"] as ("search" | "merchandising")[]) => {
      const hash = randomBytes(32);
      return {
        hash,
        person: await people.invite({ name, accountId, scopes, hash, untilMs: clock.nowMs + 100 }),
      };
    };
    return { people, invite, clock };
  }

  test("an invitation is used once, and not after its end", async () => {
    const { people, invite, clock } = await openPeople();
    const { hash, person } = await invite("Ada", ["merchandising", "search"]);
    expect(person).toMatchObject({ name: "Ada", scopes: ["search", "merchandising"], invitedUntilMs: 1100 });
    expect(await people.accept(randomBytes(32))).toBeUndefined();
    expect(await people.accept(hash)).toMatchObject({ id: person.id, signedInAtMs: 1000 });
    expect(await people.accept(hash)).toBeUndefined();
    const late = await invite("Grace");
    clock.nowMs += 100;
    expect(await people.accept(late.hash)).toBeUndefined();
    expect((await people.list()).map(({ name }) => name)).toEqual(["Ada", "Grace"]);
  });

  test("another invitation replaces the former and the scopes, and sessions go on", async () => {
    const { people, invite } = await openPeople();
    const first = await invite("Ada");
    const second = await invite("Ada", ["merchandising"]);
    expect(await people.accept(first.hash)).toBeUndefined();
    const person = await people.accept(second.hash);
    expect(person).toMatchObject({ id: first.person.id, scopes: ["merchandising"], sessionsFromMs: 1000 });
  });

  test("whoever is revoked has no session and no invitation; a new invitation admits without the old sessions", async () => {
    const { people, invite, clock } = await openPeople();
    const { hash, person } = await invite("Ada");
    clock.nowMs = 1050;
    expect(await people.revoke("Ada")).toMatchObject({ revokedAtMs: 1050, sessionsFromMs: 1051 });
    expect(await people.revoke("Ada")).toBeUndefined();
    expect(await people.revoke("nobody")).toBeUndefined();
    expect(await people.accept(hash)).toBeUndefined();
    const again = await invite("Ada");
    expect(again.person).not.toHaveProperty("revokedAtMs");
    expect(await people.accept(again.hash)).toMatchObject({ id: person.id, sessionsFromMs: 1051 });
  });
});
