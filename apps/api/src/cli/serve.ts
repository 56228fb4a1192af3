import { scopes } from "@product-search/core/ports/accounts.ts";
import { invitePerson } from "@product-search/features/accounts/accounts.ts";
import { Command } from "commander";
import { composeStores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { runUntilStopped } from "./support/run-until-stopped.ts";
import { commandActor } from "./support/store-command.ts";

export const command = new Command("serve")
  .description("run the service with the settings from the environment")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api serve
  HOST=0.0.0.0 PORT=8080 PUBLIC_URL=https://search.example.com DATA_DIR=/var/lib/product-search pnpm api serve

After SIGTERM it finishes the accepted requests and stops within ten seconds.`,
  )
  .action(async () => {
    const config = readEnvironment();
    await runUntilStopped(config, async (service) => {
      console.error(`Serving at ${service.publicUrl}/api/v1`);
      const code = await inviteFirstPerson(config);
      if (code !== undefined)
        console.error(
          `Nobody can sign in to the console yet. Sign in once at ${service.publicUrl}/invite/${code}`,
        );
    });
  });

/** Undefined if somebody was invited before, or a proxy decides who may use the console. */
async function inviteFirstPerson(config: Config): Promise<string | undefined> {
  if (config.authProxyHeader !== undefined) return undefined;
  const stores = await composeStores(config);
  try {
    const people = await stores.peopleStore.list();
    const hasSomebody = people.some(
      ({ name, signedInAtMs }) => name !== "owner" || signedInAtMs !== undefined,
    );
    if (hasSomebody) return undefined;
    return (await invitePerson(stores, commandActor(), { name: "owner", scopes })).code;
  } finally {
    await stores.close();
  }
}
