import { Command, InvalidArgumentError } from "commander";
import { composeStores } from "../compose/stores.ts";
import { readConfig } from "../config.ts";
import { createToken } from "../features/accounts/create-token.ts";
import { scopes as knownScopes, type Scope, type TokenRecord } from "../ports/account-store.ts";

export const command = new Command("token").description("make, list and revoke access tokens").addHelpText(
  "after",
  `
Examples:
  pnpm api token create --account acme --scopes search,webhooks
  pnpm api token create --account acme --scopes search --expires-in-days 90 --json
  pnpm api token list
  pnpm api token revoke 0b9f5f0e-…`,
);

command
  .command("create")
  .description("make a token; it is shown this once only")
  .requiredOption("--account <name>", "the account it belongs to, made when new", accountName)
  .requiredOption("--scopes <list>", `comma-separated: ${knownScopes.join(", ")}`, parseScopes)
  .option("--expires-in-days <days>", "when it ends by itself", parseDays)
  .option("--json", "print JSON")
  .action(async (options: { account: string; scopes: Scope[]; expiresInDays?: number; json?: boolean }) => {
    const stores = await composeStores(readConfig(process.env));
    try {
      const { token, record } = await createToken(stores, {
        account: options.account,
        scopes: options.scopes,
        ...(options.expiresInDays !== undefined && { lifetimeMs: options.expiresInDays * 86_400_000 }),
      });
      if (options.json) {
        console.log(JSON.stringify({ token, ...describeToken(record) }));
      } else {
        console.log(
          `${token}\n\nKeep it now: it is not shown again. Account ${record.accountName}, scopes ${record.scopes.join(", ")}.`,
        );
      }
    } finally {
      await stores.close();
    }
  });

command
  .command("list")
  .description("list all tokens, without their secrets")
  .option("--json", "print JSON")
  .action(async (options: { json?: boolean }) => {
    const stores = await composeStores(readConfig(process.env));
    try {
      const tokens = (await stores.accountStore.listTokens()).map(describeToken);
      if (options.json) console.log(JSON.stringify(tokens));
      else if (tokens.length === 0) console.log("No tokens yet. Make one with `pnpm api token create`.");
      else console.table(tokens);
    } finally {
      await stores.close();
    }
  });

command
  .command("revoke")
  .description("end a token at once")
  .argument("<id>", "as `token list` shows it")
  .option("--json", "print JSON")
  .action(async (id: string, options: { json?: boolean }) => {
    const stores = await composeStores(readConfig(process.env));
    try {
      const revoked = await stores.accountStore.revokeToken(id);
      if (!revoked)
        throw new Error(`No token "${id}" that is still valid. \`pnpm api token list\` shows them.`);
      console.log(options.json ? JSON.stringify({ id, revoked }) : `Revoked ${id}.`);
    } finally {
      await stores.close();
    }
  });

function describeToken(record: TokenRecord) {
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    id: record.id,
    account: record.accountName,
    accountId: record.accountId,
    hint: record.hint,
    scopes: record.scopes.join(","),
    createdAt: time(record.createdAtMs),
    expiresAt: time(record.expiresAtMs),
    revokedAt: time(record.revokedAtMs),
    lastUsedAt: time(record.lastUsedAtMs),
  };
}

function accountName(text: string): string {
  if (text.trim() === "" || text.length > 100)
    throw new InvalidArgumentError("Write a name of 1 to 100 characters.");
  return text.trim();
}

function parseScopes(text: string): Scope[] {
  const wanted = text.split(",").map((part) => part.trim());
  const found = knownScopes.filter((scope) => wanted.includes(scope));
  const unknown = wanted.filter((scope) => !knownScopes.some((known) => known === scope));
  if (unknown.length > 0 || found.length === 0) {
    throw new InvalidArgumentError(`Write one or both of ${knownScopes.join(",")}.`);
  }
  return found;
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!(days > 0 && days <= 3650)) throw new InvalidArgumentError("Write a number of days from 1 to 3650.");
  return days;
}
