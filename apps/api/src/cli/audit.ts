import { once } from "node:events";
import type { AuditEntry, AuditLog } from "@product-search/core/ports/accounts.ts";
import { Command } from "commander";
import { shortTime, wrapText } from "./support/output.ts";
import { wholeNumber, withStores } from "./support/store-command.ts";

export const command = new Command("audit")
  .description("list who changed tokens, webhooks, keys, rules, synonyms and settings, newest first")
  .option("--limit <number>", "maximum number to list", wholeNumber(1, 1_000_000), 100)
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
Entries cannot be changed or removed. An entry names the token or the person of a request, and for 30 days its IP address, or the
user and the machine of a command.

Examples:
  pnpm api audit
  pnpm api audit --limit 10000 --json`,
  )
  .action(async (options: { limit: number; json?: boolean }) => {
    await withStores(async (stores) => {
      await (options.json ? printJson : printLines)(entriesOf(stores.auditLog, options.limit));
    });
  });

const pageSize = 500;

/** In pages: an entry may have several kilobytes. */
async function* entriesOf(auditLog: Pick<AuditLog, "list">, limit: number): AsyncGenerator<Entry, void> {
  let before: number | undefined;
  for (let left = limit; left > 0; left -= pageSize) {
    const page = { limit: Math.min(left, pageSize), ...(before !== undefined && { before }) };
    const { entries, next } = await auditLog.list(page);
    yield* entries.map(describe);
    if (next === undefined) return;
    before = next;
  }
}

async function printLines(entries: AsyncIterable<Entry>): Promise<void> {
  let isEmpty = true;
  for await (const entry of entries) {
    await print(`${linesOf(entry)}\n`);
    isEmpty = false;
  }
  if (isEmpty) console.log("No entries.");
}

async function printJson(entries: AsyncIterable<Entry>): Promise<void> {
  let separator = "[";
  for await (const entry of entries) {
    await print(separator + JSON.stringify(entry));
    separator = ",";
  }
  await print(separator === "[" ? "[]\n" : "]\n");
}

/** Resolves when there is room for more. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

type Entry = ReturnType<typeof describe>;

function linesOf({ at, action, subject, by, from, details }: Entry): string {
  const facts = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  const head = wrapText(`${shortTime(at)}  ${action}  ${subject}`);
  return `${head}\n  ${wrapText([from === null ? by : `${by}, ${from}`, ...facts].join("; "))}`;
}

function describe({ atMs, action, subject, details, actor }: AuditEntry) {
  const who =
    actor.kind === "command"
      ? { by: `user ${actor.user}`, account: null, from: actor.host }
      : {
          by: actor.kind === "token" ? `token ${actor.tokenId}` : actor.name,
          account: actor.accountId,
          from: actor.address ?? null,
        };
  return { at: new Date(atMs).toISOString(), action, subject, ...who, details };
}
