import { parseNetwork } from "@product-search/core/domain/networks.ts";
import { scopes as knownScopes, type Scope, type TokenRecord } from "@product-search/core/ports/accounts.ts";
import { createToken, revokeToken, type WantedToken } from "@product-search/features/accounts/accounts.ts";
import type { CatalogFilters } from "@product-search/features/catalog-search/read-query.ts";
import { readTokenFilter } from "@product-search/features/catalog-search/token-filter.ts";
import { createSearchTextReader } from "@product-search/http-rules/requests/read-request.ts";
import { Command, InvalidArgumentError } from "commander";
import { composeStores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { formatTable, shortTime } from "./support/output.ts";
import { commandActor, parseScopes, withStores } from "./support/store-command.ts";

export const command = new Command("token").description("create, list and revoke access tokens").addHelpText(
  "after",
  `
Examples:
  pnpm api token create --account acme --scopes search,webhooks
  pnpm api token create --account acme --scopes search --expires-in-days 90 --json
  pnpm api token create --account acme --scopes search --networks 203.0.113.0/24,2001:db8::/32
  pnpm api token create --account acme --public --origins https://shop.example
  pnpm api token create --account partner --scopes search --filter 'brands=Ilmari&onSale=true'
  pnpm api token list
  pnpm api token revoke 0b9f5f0e-…`,
);

command
  .command("create")
  .description("create a token; it is shown only once")
  .requiredOption("--account <name>", "account of the token; created if it does not exist", accountName)
  .option(
    "--scopes <list>",
    `comma-separated: ${knownScopes.join(", ")}; required unless --public`,
    parseScopes,
  )
  .option("--public", "a token to show in web pages: scope search only, also limited by IP address")
  .option(
    "--origins <list>",
    "with --public: only pages of these origins may use it (comma-separated; default: all pages)",
    parseOrigins,
  )
  .option(
    "--expires-in-days <days>",
    "days until the token expires (default: TOKEN_EXPIRY_DAYS, otherwise never)",
    parseDays,
  )
  .option("--no-expiry", "the token never expires, even if TOKEN_EXPIRY_DAYS is set")
  .option(
    "--networks <list>",
    "allow the token only from these networks (comma-separated CIDR ranges)",
    parseNetworks,
  )
  .option(
    "--filter <query>",
    "all that the token sees: filters as in a query of searchCatalog, such as brands=Ilmari&onSale=true; scope search only",
  )
  .option("--json", "print JSON")
  .action(async (options: CreateOptions) => {
    const config = readEnvironment();
    checkFilter(options, config);
    const lifetimeDays = lifetimeOf(options, config);
    const permissions = permissionsOf(options);
    const stores = await composeStores(config);
    try {
      const { token, record } = await createToken(stores, commandActor(), {
        account: options.account,
        ...permissions,
        ...(lifetimeDays !== undefined && { lifetimeMs: lifetimeDays * 86_400_000 }),
        ...(options.networks !== undefined && { networks: options.networks }),
        ...(options.filter !== undefined && { filter: options.filter }),
      });
      if (options.json) {
        console.log(JSON.stringify({ token, ...describeToken(record) }));
      } else {
        console.log(
          `${token}\n\nSave the token now: it is not shown again. Account ${record.accountName}, scopes ${record.scopes.join(", ")}, ${limitsOf(record)}.`,
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
    await withStores(async (stores) => {
      const tokens = (await stores.accountStore.listTokens()).map(describeToken);
      if (options.json) console.log(JSON.stringify(tokens));
      else if (tokens.length === 0) console.log("No tokens yet. Create one with `pnpm api token create`.");
      else console.log(formatTable(tokens, tokenColumns));
    });
  });

command
  .command("revoke")
  .description("revoke a token at once")
  .argument("<id>", "identifier from `token list`")
  .option("--json", "print JSON")
  .action(async (id: string, options: { json?: boolean }) => {
    await withStores(async (stores) => {
      const revoked = await revokeToken(stores, commandActor(), id);
      if (!revoked)
        throw new Error(
          `No valid token has the identifier "${id}". \`pnpm api token list\` lists all tokens.`,
        );
      console.log(options.json ? JSON.stringify({ id, revoked }) : `Revoked ${id}.`);
    });
  });

const tokenColumns = [
  { title: "ID", value: ({ id }: TokenRow) => id, isWhole: true },
  { title: "ACCOUNT", value: ({ account }: TokenRow) => account },
  { title: "SCOPES", value: ({ scopes }: TokenRow) => scopes.replaceAll(",", ", ") },
  { title: "STATE", value: stateOf },
];

/** The rest is in `--json`. */
function stateOf(token: TokenRow): string {
  const { revokedAt, expiresAt, lastUsedAt, networks, origins, filter } = token;
  if (revokedAt !== null) return `revoked ${shortTime(revokedAt)}`;
  return [
    expiresAt === null ? "no expiry" : `until ${expiresAt.slice(0, 10)}`,
    lastUsedAt === null ? "never used" : `used ${lastUsedAt.slice(0, 10)}`,
    ...(networks === null ? [] : [`from ${networks}`]),
    ...(origins === null ? [] : [`public: ${origins}`]),
    ...(filter === null ? [] : [`filter: ${filter}`]),
  ].join(", ");
}

type TokenRow = ReturnType<typeof describeToken>;

interface CreateOptions {
  account: string;
  scopes?: Scope[];
  public?: boolean;
  origins?: string[];
  expiresInDays?: number;
  /** False with --no-expiry. */
  expiry: boolean;
  networks?: string[];
  filter?: string;
  json?: boolean;
}

function checkFilter({ filter, scopes = ["search"] }: CreateOptions, { currency }: Config): void {
  if (filter === undefined) return;
  if (scopes.join() !== "search")
    command.error(
      "A token with --filter has the scope search only: other scopes see and change the whole catalog.",
    );
  try {
    readTokenFilter(filter, createSearchTextReader<CatalogFilters>(), currency);
  } catch (error) {
    command.error(`--filter: ${error instanceof Error ? error.message : error}`);
  }
}

function lifetimeOf({ expiry, expiresInDays }: CreateOptions, config: Config): number | undefined {
  if (expiry) return expiresInDays ?? config.tokenExpiryDays;
  if (expiresInDays === undefined) return undefined;
  return command.error("--expires-in-days and --no-expiry exclude each other: use one of them.");
}

function permissionsOf(options: CreateOptions): Pick<WantedToken, "scopes" | "publicOrigins"> {
  const { scopes, public: isPublic = false, origins } = options;
  if (!isPublic) {
    if (origins !== undefined) return command.error("--origins is for public tokens: add --public.");
    if (scopes === undefined)
      return command.error(`--scopes is missing: write one or more of ${knownScopes.join(",")}.`);
    return { scopes };
  }
  if (scopes !== undefined && scopes.join() !== "search")
    return command.error("A public token has the scope search only: leave out --scopes.");
  return { scopes: ["search"], publicOrigins: origins ?? ["*"] };
}

function limitsOf({ expiresAtMs, networks, publicOrigins, filter }: TokenRecord): string {
  const expiry =
    expiresAtMs === undefined ? "without expiry" : `until ${new Date(expiresAtMs).toISOString()}`;
  const from = networks === undefined ? expiry : `${expiry}, from ${networks.join(" and ")} only`;
  const places = filter === undefined ? from : `${from}, sees only ${filter}`;
  if (publicOrigins === undefined) return places;
  const pages = publicOrigins.includes("*") ? "all web pages" : `pages of ${publicOrigins.join(" and ")}`;
  return `${places}, public: for ${pages}`;
}

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
    networks: record.networks?.join(",") ?? null,
    public: record.publicOrigins !== undefined,
    origins: record.publicOrigins?.join(",") ?? null,
    filter: record.filter ?? null,
  };
}

function accountName(text: string): string {
  if (text.trim() === "" || text.length > 100)
    throw new InvalidArgumentError("Write a name of 1 to 100 characters.");
  return text.trim();
}

function parseNetworks(text: string): string[] {
  try {
    return text.split(",").map((part) => parseNetwork(part.trim()));
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function parseOrigins(text: string): string[] {
  return text.split(",").map((part) => {
    const origin = part.trim();
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new InvalidArgumentError(
      `"${origin}" is not an origin: write scheme, host and port only, such as https://shop.example.`,
    );
  });
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!(days > 0 && days <= 3650)) throw new InvalidArgumentError("Write a number of days from 1 to 3650.");
  return days;
}
