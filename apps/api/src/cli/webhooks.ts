import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import { listDeliveries } from "@product-search/features/webhooks/list-deliveries.ts";
import { replayDelivery } from "@product-search/features/webhooks/replay-delivery.ts";
import { toWebhook } from "@product-search/features/webhooks/to-webhook.ts";
import type { Webhook, WebhookDelivery } from "@product-search/types";
import { Command, InvalidArgumentError, Option } from "commander";
import { composeExistingStores, type Stores } from "../compose/stores/stores.ts";
import { composePortsOfWebhooks } from "../compose/webhooks.ts";
import { readEnvironment } from "../config.ts";
import { listenForWebhooks } from "./listen-for-webhooks.ts";
import { commandActor } from "./support/command-actor.ts";
import { formatTable, shortTime } from "./support/table.ts";

export const command = new Command("webhooks")
  .description("list webhooks and deliveries, replay deliveries, and receive them for testing")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api webhooks list
  pnpm api webhooks deliveries wh_5kPz1cX2mQ8rT4vN --limit 10
  pnpm api webhooks replay wh_5kPz1cX2mQ8rT4vN dl_7Hn3bY6wK9sD2fJq
  WEBHOOK_KEY=whsec_… pnpm api webhooks listen --port 4500`,
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
      else console.log(formatTable(webhooks, webhookColumns));
    });
  });

command
  .command("deliveries")
  .description("list the deliveries of a webhook, newest first")
  .argument("<webhook-id>", "identifier from `webhooks list`")
  .option("--limit <number>", "maximum number to list, at most 200", parseLimit, 20)
  .option("--cursor <text>", "nextCursor of the previous page")
  .option("--json", "print JSON")
  .action(async (id: string, options: { limit: number; cursor?: string; json?: boolean }) => {
    await withWebhooks(async (ports) => {
      const page = await listDeliveries(ports, await ownedBy(ports.webhookStore, id), options);
      if (options.json) {
        console.log(JSON.stringify(page));
        return;
      }
      if (page.deliveries.length === 0) console.log("No deliveries.");
      else console.log(formatTable(page.deliveries, deliveryColumns));
      if (page.nextCursor) console.log(`Next page: --cursor ${page.nextCursor}`);
    });
  });

command
  .command("replay")
  .description("send a delivery again; the running service sends it within a second")
  .argument("<webhook-id>")
  .argument("<delivery-id>", "identifier from `webhooks deliveries`")
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
  .description("receive, verify and print deliveries on a local port")
  .option("--port <number>", "port to listen on; 0 for any free port", parsePort, 4500)
  .addOption(new Option("--key <whsec>", "apiKey of the webhook, to verify deliveries").env("WEBHOOK_KEY"))
  .option("--status <number>", "status to respond with, to test retries", parseStatus, 204)
  .option("--count <number>", "stop after this many deliveries", Number, Number.POSITIVE_INFINITY)
  .option("--json", "print one line of JSON per delivery")
  .action(async ({ json = false, key, ...options }) => {
    await listenForWebhooks({ ...options, key, json });
  });

const webhookColumns = [
  { title: "ID", value: ({ id }: Webhook) => id, isWhole: true },
  { title: "TYPE", value: ({ webhookType }: Webhook) => webhookType },
  { title: "TARGET", value: ({ webhookUrl }: Webhook) => webhookUrl },
  { title: "STATE", value: ({ disabledReason }: Webhook) => disabledReason ?? "enabled" },
];

const deliveryColumns = [
  { title: "ID", value: ({ id }: WebhookDelivery) => id, isWhole: true },
  { title: "STATUS", value: ({ status }: WebhookDelivery) => status },
  { title: "CREATED", value: ({ createdAt }: WebhookDelivery) => shortTime(createdAt) },
  { title: "TRIES", value: ({ attempts }: WebhookDelivery) => attempts.length },
  { title: "LAST RESULT", value: ({ attempts }: WebhookDelivery) => lastResult(attempts.at(-1)) },
];

function lastResult(attempt: WebhookDelivery["attempts"][number] | undefined): string | undefined {
  return attempt?.error ?? attempt?.responseStatus?.toString();
}

async function withWebhooks(
  use: (ports: ReturnType<typeof composePortsOfWebhooks> & Pick<Stores, "unitOfWork">) => Promise<void>,
): Promise<void> {
  const config = readEnvironment();
  const stores = await composeExistingStores(config);
  const ports = composePortsOfWebhooks(config, stores);
  try {
    await use({ ...ports, ...stores });
  } finally {
    await ports.webhookHttp.close();
    await stores.close();
  }
}

/** Operators may manage the webhooks of all accounts. */
async function ownedBy(webhookStore: WebhookStore, webhookId: string): Promise<WebhookReference> {
  const webhook = (await webhookStore.list()).find(({ id }) => id === webhookId);
  if (webhook === undefined)
    throw new Error(`No webhook has the identifier "${webhookId}". \`pnpm api webhooks list\` lists them.`);
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
