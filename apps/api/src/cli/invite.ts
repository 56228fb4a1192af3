import { scopes } from "@product-search/core/ports/accounts.ts";
import { invitePerson } from "@product-search/features/accounts/accounts.ts";
import { Command, InvalidArgumentError } from "commander";
import { composeStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { commandActor, parseScopes } from "./support/store-command.ts";

export const command = new Command("invite")
  .description("invite somebody to the console by a link that works once, within seven days")
  .argument("<name>", "shown in the console and in the audit log", parseName)
  .requiredOption("--scopes <list>", `comma-separated: ${scopes.join(", ")}`, parseScopes)
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
For a name that is there already, it gives other scopes and another link.

Examples:
  pnpm api invite Ada --scopes search,merchandising
  pnpm api people list`,
  )
  .action(async (name: string, options: { scopes: (typeof scopes)[number][]; json?: boolean }) => {
    const config = readEnvironment();
    const stores = await composeStores(config);
    try {
      const { code, person } = await invitePerson(stores, commandActor(), { name, scopes: options.scopes });
      const url = `${config.publicUrl}/invite/${code}`;
      if (options.json) console.log(JSON.stringify({ name, scopes: person.scopes, url }));
      else console.log(`${url}\n\nSend this link to ${name}: it works once, within seven days.`);
    } finally {
      await stores.close();
    }
  });

function parseName(text: string): string {
  const name = text.trim();
  if (/^[^\p{Cc}]{1,100}$/u.test(name)) return name;
  throw new InvalidArgumentError("Write 1 to 100 characters.");
}
