import { Command } from "commander";
import { acceptPresentSecretKey } from "../compose/start-checks.ts";
import { composeStores } from "../compose/stores.ts";
import { type Config, readConfig } from "../config.ts";
import { commandActor } from "./command-actor.ts";

export const command = new Command("secret-key")
  .description("the key that encrypts webhook keys at rest")
  .addHelpText(
    "after",
    `
The service refuses to start with another key than the one that its store was encrypted with.

Examples:
  pnpm api secret-key accept`,
  );

command
  .command("accept")
  .description("use the present key from now on, because the former one is lost")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
Deliveries of the webhooks that it prints cannot be signed until their keys are rotated
(POST /webhooks/{webhook_id}/rotate-key); what became a dead letter meanwhile can be retried then.`,
  )
  .action(async (options: { json?: boolean }) => {
    const config = readConfig(process.env);
    const unreadable = await acceptPresentSecretKey(config);
    await recordAccepted(config);
    if (options.json) console.log(JSON.stringify({ unreadableWebhooks: unreadable }));
    else if (unreadable.length === 0) console.log("Accepted. It can read the signing keys of all webhooks.");
    else
      console.log(`Accepted. It cannot read the signing keys of these webhooks:\n${unreadable.join("\n")}`);
  });

async function recordAccepted(config: Config): Promise<void> {
  const stores = await composeStores(config);
  try {
    await stores.unitOfWork.transact(commandActor(), ({ audit }) =>
      audit.record("secret_key.accepted", "secret_key"),
    );
  } finally {
    await stores.close();
  }
}
