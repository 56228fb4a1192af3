import type { AuditEntry } from "@product-search/core/ports/audit-log.ts";
import { Command, InvalidArgumentError } from "commander";
import { composeExistingStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { shortTime, wrapText } from "./support/table.ts";

export const command = new Command("audit")
  .description("list who changed tokens, webhooks, keys, rules, synonyms and settings, newest first")
  .option("--limit <number>", "maximum number to list", parseLimit, 100)
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
Entries cannot be changed or removed. An entry names the token and the client's IP address of a request, or the user and the
machine of a command.

Examples:
  pnpm api audit
  pnpm api audit --limit 10000 --json`,
  )
  .action(async (options: { limit: number; json?: boolean }) => {
    const stores = await composeExistingStores(readEnvironment());
    try {
      const entries = (await stores.auditLog.list({ limit: options.limit })).entries.map(describe);
      if (options.json) console.log(JSON.stringify(entries));
      else if (entries.length === 0) console.log("No entries.");
      else for (const entry of entries) console.log(linesOf(entry));
    } finally {
      await stores.close();
    }
  });

type Entry = ReturnType<typeof describe>;

function linesOf({ at, action, subject, by, from, details }: Entry): string {
  const facts = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  const head = wrapText(`${shortTime(at)}  ${action}  ${subject}`);
  return `${head}\n  ${wrapText([`${by}, ${from}`, ...facts].join("; "))}`;
}

function describe({ atMs, action, subject, details, actor }: AuditEntry) {
  const who =
    actor.kind === "token"
      ? { by: `token ${actor.tokenId}`, account: actor.accountId, from: actor.address }
      : { by: `user ${actor.user}`, account: null, from: actor.host };
  return { at: new Date(atMs).toISOString(), action, subject, ...who, details };
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000_000) return number;
  throw new InvalidArgumentError("Write a whole number from 1 to 1000000.");
}
