import type { WebhookDelivery } from "@product-search/types";
import { Command, InvalidArgumentError } from "commander";
import { composeStores, type Stores } from "../compose/stores.ts";
import { composePortsOfWebhooks } from "../compose/webhooks.ts";
import { readConfig } from "../config.ts";
import { listDeliveries } from "../features/webhooks/list-deliveries.ts";
import { replayDelivery } from "../features/webhooks/replay-delivery.ts";
import { toWebhook } from "../features/webhooks/to-webhook.ts";
import type { Transact } from "../ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "../ports/webhook-store.ts";
import { commandActor } from "./command-actor.ts";
import { listenForWebhooks } from "./listen-for-webhooks.ts";

export const command = new Command("webhooks")
  .description("look after webhooks and their deliveries, and try them out")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api webhooks list
  pnpm api webhooks deliveries wh_5kPz1cX2mQ8rT4vN --limit 10
  pnpm api webhooks replay wh_5kPz1cX2mQ8rT4vN dl_7Hn3bY6wK9sD2fJq
  pnpm api webhooks listen --port 4500 --key whsec_…`,
  );

command
  .command("list")
  .description("list the webhooks of all accounts, newest first")
  .option("--json", "print JSON")
  .action(async (options: { json?: boolean }) => {
    await withWebhooks(async ({ webhookStore }) => {
      const webhooks = (await webhookStore.list()).map(toWebhook);
      if (options.json) console.log(JSON.stringify(webhooks));
      else if (webhooks.length === 0) console.log("No webhooks yet. POST /webhooks creates one.");
      else console.table(webhooks);
    });
  });

command
  .command("deliveries")
  .description("show what was sent to a webhook, newest first")
  .argument("<webhook-id>", "as `webhooks list` shows it")
  .option("--limit <number>", "how many, up to 200", parseLimit, 20)
  .option("--cursor <text>", "the nextCursor of the page before")
  .option("--json", "print JSON")
  .action(async (id: string, options: { limit: number; cursor?: string; json?: boolean }) => {
    await withWebhooks(async (ports) => {
      const page = await listDeliveries(ports, await ownedBy(ports.webhookStore, id), options);
      if (options.json) {
        console.log(JSON.stringify(page));
        return;
      }
      console.table(
        page.deliveries.map(({ attempts, ...delivery }) => ({
          ...delivery,
          attempts: attempts.length,
          lastStatus: attempts.at(-1)?.responseStatus,
          lastError: attempts.at(-1)?.error,
        })),
      );
      if (page.nextCursor) console.log(`More with --cursor ${page.nextCursor}`);
    });
  });

command
  .command("replay")
  .description("send a delivery again; the running service does it within a second")
  .argument("<webhook-id>")
  .argument("<delivery-id>", "as `webhooks deliveries` shows it")
  .option("--json", "print JSON")
  .action(async (webhookId: string, deliveryId: string, options: { json?: boolean }) => {
    await withWebhooks(async (ports) => {
      const transact: Transact<WebhookDelivery> = (work) => ports.unitOfWork.transact(commandActor(), work);
      const owned = await ownedBy(ports.webhookStore, webhookId);
      const delivery = await replayDelivery({ ...ports, transact }, owned, deliveryId);
      console.log(options.json ? JSON.stringify(delivery) : `Queued as ${delivery.id}.`);
    });
  });

command
  .command("listen")
  .description("print and verify the deliveries that arrive on a port of this machine")
  .option("--port <number>", "the port; 0 takes a free one", parsePort, 4500)
  .option("--key <whsec>", "the webhook's apiKey, to verify with")
  .option("--status <number>", "what to answer, to see retries", parseStatus, 204)
  .option("--count <number>", "end after so many deliveries", Number, Number.POSITIVE_INFINITY)
  .option("--json", "print a line of JSON for each")
  .action(async ({ json = false, key, ...options }) => {
    await listenForWebhooks({ ...options, key, json });
  });

async function withWebhooks(
  use: (ports: ReturnType<typeof composePortsOfWebhooks> & Pick<Stores, "unitOfWork">) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env);
  const stores = await composeStores(config);
  const ports = composePortsOfWebhooks(config, stores);
  try {
    await use({ ...ports, ...stores });
  } finally {
    await ports.webhookHttp.close();
    await stores.close();
  }
}

/** An operator may look after everybody's webhooks. */
async function ownedBy(webhookStore: WebhookStore, webhookId: string): Promise<WebhookReference> {
  const webhook = (await webhookStore.list()).find(({ id }) => id === webhookId);
  if (webhook === undefined)
    throw new Error(`No webhook "${webhookId}". \`pnpm api webhooks list\` shows them.`);
  return { accountId: webhook.accountId, webhookId };
}

function parseLimit(text: string): number {
  return parseNumber(text, 1, 200);
}

function parsePort(text: string): number {
  return parseNumber(text, 0, 65_535);
}

function parseStatus(text: string): number {
  return parseNumber(text, 200, 599);
}

function parseNumber(text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
}
