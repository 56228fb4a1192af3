import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebhookType, webhookTypes } from "@product-search/core/domain/webhook-event.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import {
  createSigningKey,
  createWebhook,
  deleteWebhook,
} from "@product-search/features/webhooks/manage-webhooks.ts";
import { verifyDelivery } from "@product-search/features/webhooks/test-webhook.ts";
import type { WebhookWithKey } from "@product-search/types";
import { Command, Option } from "commander";
import { commandActor, wholeNumber, withStores } from "./support/store-command.ts";

export const listenCommand = new Command("listen")
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
    await withStores(async ({ unitOfWork }) => {
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

/** Temporary webhooks lead to this machine. The service that delivers makes its own check. */
export const ownListener = { checkTarget: async () => {} };

/** The account of temporary webhooks. */
export const listenerAccount = "webhooks listen";

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

interface ListenSettings {
  port: number;
  /** Without it, deliveries are not verified. */
  key: string | undefined;
  /** The status of the response to verified deliveries. */
  status: number;
  /** Stops after this many deliveries. */
  count: number;
  json: boolean;
  /** The handler that gets each verified delivery, unchanged; its status is the response. */
  forwardTo?: string;
  /** Called with the address when the server listens. */
  onListening?(url: string): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/** Prints the deliveries that arrive on a local port, and whether they are valid. Resolves after `count` deliveries. */
async function listenForWebhooks(settings: ListenSettings): Promise<void> {
  const { port, key, status, count, json, forwardTo, onListening } = settings;
  const enough = Promise.withResolvers<void>();
  let seen = 0;
  const server = createServer(async (request, response) => {
    try {
      const delivery = await receive(request, key);
      const { body, ...shown } = delivery;
      const reply =
        delivery.fault !== undefined
          ? { status: 400 }
          : forwardTo === undefined
            ? { status }
            : await forward(forwardTo, request, body);
      const result = forwardTo === undefined ? shown : { ...shown, forwarded: reply };
      console.log(json ? JSON.stringify(result) : describe(result));
      respond(response, reply.status);
      seen += 1;
      if (seen >= count) enough.resolve();
    } catch {
      respond(response, 413);
    }
  });
  server.once("error", (error: NodeJS.ErrnoException) =>
    enough.reject(
      error.code === "EADDRINUSE"
        ? new Error(`Port ${port} is used by another process. Stop it, or choose another port with --port.`)
        : error,
    ),
  );
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    const taken = typeof address === "object" && address !== null ? address.port : port;
    const url = `http://127.0.0.1:${taken}/`;
    console.error(
      `Listening on ${url} ${key ? "" : "(deliveries are not verified without WEBHOOK_KEY or --key)"}`,
    );
    void onListening?.(url).catch(enough.reject);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => enough.resolve());
  await enough.promise.finally(() => {
    server.close();
    server.closeIdleConnections();
  });
}

interface Delivery {
  id: string;
  path: string;
  verified: boolean;
  fault?: string;
  event?: unknown;
  forwarded?: Reply;
}

interface Reply {
  status: number;
  fault?: string;
}

const forwardTimeoutMs = 15_000;

/** The status of the handler; 502 if it gives none, so that the service tries again. */
async function forward(url: string, { headers }: IncomingMessage, body: string): Promise<Reply> {
  const sent = Object.entries(headers).filter(
    (field): field is [string, string] =>
      typeof field[1] === "string" && /^(webhook-.*|content-type|user-agent)$/.test(field[0]),
  );
  try {
    const signal = AbortSignal.timeout(forwardTimeoutMs);
    const reply = await fetch(url, { method: "POST", headers: sent, body, signal, redirect: "manual" });
    await reply.body?.cancel();
    return { status: reply.status };
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    return { status: 502, fault: cause instanceof Error ? cause.message : message };
  }
}

async function receive(
  request: IncomingMessage,
  key: string | undefined,
): Promise<Delivery & { body: string }> {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes)
    throw new Error("The body is too large.");
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      (field): field is [string, string] => typeof field[1] === "string",
    ),
  );
  const body = await readBounded(request);
  const delivery = { id: headers["webhook-id"] ?? "", path: request.url ?? "/", body };
  if (key === undefined) return { ...delivery, verified: false, event: body };
  try {
    return { ...delivery, verified: true, event: verifyDelivery(body, headers, key) };
  } catch (error) {
    return {
      ...delivery,
      verified: false,
      fault: error instanceof Error ? error.message : String(error),
      event: body,
    };
  }
}

async function readBounded(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error("The body is too large.");
  }
  return Buffer.concat(chunks).toString();
}

function describe({ id, path, verified, fault, event, forwarded }: Delivery): string {
  const state = fault === undefined ? (verified ? "verified" : "not verified") : `NOT VERIFIED: ${fault}`;
  const body = typeof event === "string" ? event : JSON.stringify(event, undefined, 2);
  const reply = forwarded ? `  → ${forwarded.status}${forwarded.fault ? ` (${forwarded.fault})` : ""}` : "";
  return `\n${new Date().toISOString()}  ${path}  ${id}  ${state}${reply}\n${body}`;
}

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
}
