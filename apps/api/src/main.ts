import "./runtime/compile-cache.ts";
import { Command } from "commander";
import { ConfigError, showsStacks } from "./config.ts";

/** One file per command, loaded only when it runs: `pnpm api token list` does not load the server's code. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  audit: () => import("./cli/audit.ts"),
  backup: () => import("./cli/backup.ts"),
  currency: () => import("./cli/currency.ts"),
  doctor: () => import("./cli/doctor.ts"),
  "dead-letters": () => import("./cli/dead-letters.ts"),
  export: () => import("./cli/export.ts"),
  feeds: () => import("./cli/feeds.ts"),
  invite: () => import("./cli/invite.ts"),
  insights: () => import("./cli/insights.ts"),
  marketplace: () => import("./cli/marketplace.ts"),
  import: () => import("./cli/import.ts"),
  "migrate-store": () => import("./cli/migrate-store.ts"),
  people: () => import("./cli/people.ts"),
  products: () => import("./cli/products.ts"),
  restore: () => import("./cli/restore.ts"),
  rules: () => import("./cli/rules.ts"),
  sample: () => import("./cli/sample.ts"),
  "secret-key": () => import("./cli/secret-key.ts"),
  serve: () => import("./cli/serve.ts"),
  start: () => import("./cli/start.ts"),
  synonyms: () => import("./cli/synonyms.ts"),
  token: () => import("./cli/token.ts"),
  webhooks: () => import("./cli/webhooks.ts"),
};

// Stack traces name the sources, not the bundle. Reading the maps would make every start a fifth slower.
if (showsStacks()) process.setSourceMapsEnabled(true);

const program = new Command("api")
  .usage("<command> [options]")
  .description("The product search service and its tools.")
  .option("-V, --version", "print the version")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api import feed.xml --source catalog                   import a product feed
  pnpm api sample                                             load the sample catalog
  pnpm api serve                                              run the service with the settings from the environment
  pnpm api token create --account acme --scopes search --json create a token
  pnpm api doctor                                             check everything, and say what to do
  pnpm api <command> --help                                   all options of a command

./product-search <command> does the same without pnpm. A command exits with 1 if it fails, and with 2 if its arguments
or the settings are wrong.

The settings are listed in .env.example.`,
  );

const wanted = commands[process.argv[2] ?? ""];
for (const load of wanted ? [wanted] : Object.values(commands)) {
  program.addCommand((await load()).command);
}
exitWithTwo(program);

try {
  if (process.argv[2] === "--version" || process.argv[2] === "-V") {
    console.log((await import("./cli/support/versions.ts")).versions());
  } else {
    await program.parseAsync();
  }
} catch (error) {
  console.error(describe(error));
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

/** Commander exits with 1 for wrong arguments, like a command that fails; scripts must be able to tell them apart. */
function exitWithTwo(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const subcommand of command.commands) exitWithTwo(subcommand);
}

/** The message, or with LOG_LEVEL=debug the stack trace. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return showsStacks() ? (error.stack ?? error.message) : error.message;
}
