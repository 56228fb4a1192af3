import { Command } from "commander";
import { acceptPresentSecretKey } from "../compose/start-checks.ts";
import { composeExistingStores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { commandActor } from "./support/command-actor.ts";

export const command = new Command("secret-key")
  .description("manage the key that encrypts webhook signing keys")
  .addHelpText(
    "after",
    `
The service does not start with a key other than the one that its database was encrypted with.

Examples:
  pnpm api secret-key accept`,
  );

command
  .command("accept")
  .description("accept the current key because the former one is lost")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
It prints the webhooks whose signing keys can no longer be decrypted. Their deliveries cannot be signed until you rotate
their keys (POST /webhooks/{webhook_id}/rotate-key). After that, retry their dead letters.`,
  )
  .action(async (options: { json?: boolean }) => {
    const config = readEnvironment();
    const unreadable = await acceptPresentSecretKey(config);
    await recordAccepted(config);
    if (options.json) console.log(JSON.stringify({ unreadableWebhooks: unreadable }));
    else if (unreadable.length === 0)
      console.log("Accepted. The key can decrypt the signing keys of all webhooks.");
    else
      console.log(
        `Accepted. The key cannot decrypt the signing keys of these webhooks:\n${unreadable.join("\n")}`,
      );
  });

async function recordAccepted(config: Config): Promise<void> {
  const stores = await composeExistingStores(config);
  try {
    await stores.unitOfWork.transact(commandActor(), ({ audit }) =>
      audit.record("secret_key.accepted", "secret_key"),
    );
  } finally {
    await stores.close();
  }
}
