import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { type WebhookType, webhookTypes } from "@product-search/core/domain/webhook-event.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { listDeliveries, replayDelivery } from "@product-search/features/webhooks/deliveries.ts";
import {
  createSigningKey,
  createWebhook,
  deleteWebhook,
  toWebhook,
} from "@product-search/features/webhooks/manage-webhooks.ts";
import { testWebhook } from "@product-search/features/webhooks/test-webhook.ts";
import type { Webhook, WebhookDelivery, WebhookWithKey } from "@product-search/types";
import { Argument, Command, Option } from "commander";
import { composeExistingStores, type Stores } from "../compose/stores/stores.ts";
import { composePortsOfWebhooks } from "../compose/webhooks.ts";
import { readEnvironment } from "../config.ts";
import { type ListenSettings, listenForWebhooks } from "./listen-for-webhooks.ts";
import { commandActor, wholeNumber } from "./support/store-command.ts";
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
  WEBHOOK_KEY=whsec_… pnpm api webhooks listen --port 4500
  pnpm api webhooks listen --forward-to http://localhost:8080/hook
  pnpm api webhooks trigger price.alert`,
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
  .option("--limit <number>", "maximum number to list, at most 200", wholeNumber(1, 200), 20)
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
  .option(
    "--port <number>",
    "port to listen on; 0 for any free port (default: 4500, or any with --forward-to)",
    wholeNumber(0, 65_535),
  )
  .option("--forward-to <url>", "create a temporary webhook, and send its deliveries on to this handler")
  .addOption(
    new Option("--type <type>", "type of the temporary webhook").choices(webhookTypes).default("price.alert"),
  )
  .addOption(new Option("--key <whsec>", "apiKey of the webhook, to verify deliveries").env("WEBHOOK_KEY"))
  .option("--status <number>", "status to respond with, to test retries", wholeNumber(200, 599), 204)
  .option("--count <number>", "stop after this many deliveries", Number, Number.POSITIVE_INFINITY)
  .option("--json", "print one line of JSON per delivery")
  .action(async ({ json = false, key, type, forwardTo, port, ...options }: ListenOptions) => {
    if (forwardTo === undefined) {
      await listenForWebhooks({ port: port ?? 4500, ...options, key, json });
      return;
    }
    const target = readTarget(forwardTo);
    const newKey = createSigningKey();
    await withWebhooks(async ({ unitOfWork }) => {
      const actor = commandActor();
      const account = await unitOfWork.transact(actor, ({ accountStore }) =>
        accountStore.ensureAccount(listenerAccount),
      );
      const listener = { port: port ?? 0, ...options, key: newKey, json, forwardTo: target };
      let webhookId: string | undefined;
      const onListening = async (url: string) => {
        const transact: Transact<WebhookWithKey> = (work) => unitOfWork.transact(actor, work);
        const created = await createWebhook(
          { webhookHttp: ownListener, transact, newSigningKey: () => newKey },
          account.id,
          { webhookUrl: url, webhookType: type },
        );
        webhookId = created.id;
        console.error(`Forwarding ${type} to ${target}. The signing key of this webhook: ${newKey}`);
      };
      try {
        await listenForWebhooks({ ...listener, onListening });
      } finally {
        const reference = { accountId: account.id, webhookId: webhookId ?? "" };
        const transact: Transact<void> = (work) => unitOfWork.transact(actor, work);
        if (webhookId !== undefined) await deleteWebhook({ transact }, reference);
      }
    });
  });

command
  .command("trigger")
  .description("send a sample event to the webhooks of `webhooks listen --forward-to`")
  .addArgument(new Argument("<type>", "type of the event").choices(webhookTypes))
  .option("--webhook <id>", "send it to this webhook instead")
  .action(async (type: WebhookType, { webhook }: { webhook?: string }) => {
    await withWebhooks(async ({ config, webhookHttp, webhookStore, unitOfWork, clock }) => {
      const account = await unitOfWork.transact(commandActor(), ({ accountStore }) =>
        accountStore.ensureAccount(listenerAccount),
      );
      const targets = webhook
        ? [await ownedBy(webhookStore, webhook)]
        : (await webhookStore.list(account.id))
            .filter((listener) => listener.type === type)
            .map(({ id }) => ({ accountId: account.id, webhookId: id }));
      if (targets.length === 0)
        throw new Error(
          `No \`webhooks listen --forward-to URL --type ${type}\` runs. Start one, or name a webhook with --webhook.`,
        );
      const transact: Transact<WebhookDelivery> = (work) => unitOfWork.transact(commandActor(), work);
      for (const target of targets) {
        const { id } = await testWebhook(
          { webhookHttp: webhook ? webhookHttp : ownListener, webhookStore, clock, transact, ...config },
          target,
        );
        console.log(`Queued as ${id} for ${target.webhookId}.`);
      }
    });
  });

/** Temporary webhooks lead to this machine. The service that delivers makes its own check. */
const ownListener = { checkTarget: async () => {} };

/** The account of temporary webhooks. */
const listenerAccount = "webhooks listen";

interface ListenOptions extends Pick<ListenSettings, "key" | "status" | "count"> {
  json?: boolean;
  port?: number;
  forwardTo?: string;
  type: WebhookType;
}

function readTarget(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`--forward-to: "${text}" is not an http or https URL. Write http://localhost:8080/hook.`);
  return url.href;
}

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
  use: (
    ports: ReturnType<typeof composePortsOfWebhooks> &
      Pick<Stores, "unitOfWork" | "clock"> & { config: Presentation },
  ) => Promise<void>,
): Promise<void> {
  const config = readEnvironment();
  const stores = await composeExistingStores(config);
  const ports = composePortsOfWebhooks(config, stores);
  try {
    await use({ ...ports, ...stores, config });
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
