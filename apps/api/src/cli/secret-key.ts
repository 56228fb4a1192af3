import { Command } from "commander";
import { acceptPresentSecretKey, rotateSecretKey } from "../compose/start-checks.ts";
import { composeExistingStores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { commandActor } from "./support/store-command.ts";

export const command = new Command("secret-key")
  .description("manage the key that encrypts webhook signing keys")
  .addHelpText(
    "after",
    `
The service does not start with a key other than the one that its database was encrypted with.

Examples:
  pnpm api secret-key rotate     replace the key, while the service runs
  pnpm api secret-key accept     start again with a new key because the former one is lost`,
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
    await record(config, "secret_key.accepted");
    if (options.json) console.log(JSON.stringify({ unreadableWebhooks: unreadable }));
    else if (unreadable.length === 0)
      console.log("Accepted. The key can decrypt the signing keys of all webhooks.");
    else
      console.log(
        `Accepted. The key cannot decrypt the signing keys of these webhooks:\n${unreadable.join("\n")}`,
      );
  });

command
  .command("rotate")
  .description("encrypt every stored secret with a new key, while the service runs")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
With SECRET_KEY: set it to the new key, a comma and the present key on every node, and restart them one after the other.
Run this command with the same value. Then remove the former key, and restart the nodes again.
With the key file in DATA_DIR: the command makes the new key and replaces the file. Nothing has to be restarted.

Signing keys of webhooks, slugs of images and stored responses stay valid. It can be interrupted and repeated.`,
  )
  .action(async (options: { json?: boolean }) => {
    const config = readEnvironment();
    const rotated = await rotateSecretKey(config);
    await record(config, "secret_key.rotated");
    if (options.json) return console.log(JSON.stringify(rotated));
    const next =
      config.secretKey === undefined
        ? "The key file has the new key alone. Back it up."
        : "Now remove the former key from SECRET_KEY on every node, and restart them.";
    console.log(`${rotated.rewritten} secrets were encrypted with the new key. ${next}`);
    if (rotated.unreadable > 0)
      console.log(`${rotated.unreadable} secrets can be decrypted with no key, and were left as they are.`);
  });

async function record(config: Config, action: "secret_key.accepted" | "secret_key.rotated"): Promise<void> {
  const stores = await composeExistingStores(config);
  try {
    await stores.unitOfWork.transact(commandActor(), ({ audit }) => audit.record(action, "secret_key"));
  } finally {
    await stores.close();
  }
}
