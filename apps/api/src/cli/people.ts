import type { Person } from "@product-search/core/ports/accounts.ts";
import { revokePerson } from "@product-search/features/accounts/accounts.ts";
import { Command } from "commander";
import { formatTable, shortTime } from "./support/output.ts";
import { commandActor, withStores } from "./support/store-command.ts";

export const command = new Command("people").description("list and revoke who may use the console");

command
  .command("list")
  .description("list everybody who was invited")
  .option("--json", "print JSON")
  .action(async (options: { json?: boolean }) => {
    await withStores(async (stores) => {
      const people = (await stores.peopleStore.list()).map(describe);
      if (options.json) console.log(JSON.stringify(people));
      else if (people.length === 0)
        console.log("Nobody yet. Invite somebody with `pnpm api invite NAME --scopes search`.");
      else console.log(formatTable(people, columns));
    });
  });

command
  .command("revoke")
  .description("end somebody's sessions and invitation at once")
  .argument("<name>", "as `people list` prints it")
  .option("--json", "print JSON")
  .action(async (name: string, options: { json?: boolean }) => {
    await withStores(async (stores) => {
      const isRevoked = await revokePerson(stores, commandActor(), name);
      if (!isRevoked)
        throw new Error(`Nobody named "${name}" is admitted. \`pnpm api people list\` lists everybody.`);
      console.log(options.json ? JSON.stringify({ name, revoked: true }) : `Revoked ${name}.`);
    });
  });

const columns = [
  { title: "NAME", value: ({ name }: PersonRow) => name, isWhole: true },
  { title: "SCOPES", value: ({ scopes }: PersonRow) => scopes.replaceAll(",", ", ") },
  { title: "STATE", value: stateOf },
];

type PersonRow = ReturnType<typeof describe>;

function stateOf({ revokedAt, signedInAt, invitedUntil }: PersonRow): string {
  if (revokedAt !== null) return `revoked ${shortTime(revokedAt)}`;
  return [
    signedInAt === null ? "never signed in" : `signed in ${shortTime(signedInAt)}`,
    ...(invitedUntil === null ? [] : [`invited until ${invitedUntil.slice(0, 10)}`]),
  ].join(", ");
}

function describe({ name, scopes, createdAtMs, revokedAtMs, signedInAtMs, invitedUntilMs }: Person) {
  const time = (atMs: number | undefined) => (atMs === undefined ? null : new Date(atMs).toISOString());
  return {
    name,
    scopes: scopes.join(","),
    createdAt: time(createdAtMs),
    signedInAt: time(signedInAtMs),
    invitedUntil: time(invitedUntilMs),
    revokedAt: time(revokedAtMs),
  };
}
