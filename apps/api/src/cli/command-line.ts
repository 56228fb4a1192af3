import { Command, CommanderError } from "commander";
import { ConfigError, showsStacks } from "../config.ts";
import type { OperationCommand } from "./operations.ts";

const operation = (name: OperationCommand) => async () => ({
  command: (await import("./operations.ts")).operationCommand(name),
});

/** A command is loaded only when it runs: `pnpm api token list` does not load the server's code. */
export const commands: Record<string, () => Promise<{ command: Command }>> = {
  audit: () => import("./audit.ts"),
  backup: () => import("./backup.ts"),
  currency: () => import("./currency.ts"),
  doctor: () => import("./doctor.ts"),
  "dead-letters": () => import("./dead-letters.ts"),
  export: () => import("./export.ts"),
  feeds: () => import("./feeds.ts"),
  invite: () => import("./invite.ts"),
  insights: operation("insights"),
  marketplace: () => import("./marketplace.ts"),
  import: () => import("./import.ts"),
  "migrate-store": () => import("./migrate-store.ts"),
  people: () => import("./people.ts"),
  products: operation("products"),
  restore: () => import("./restore.ts"),
  rules: operation("rules"),
  sample: () => import("./sample.ts"),
  "secret-key": () => import("./secret-key.ts"),
  serve: () => import("./serve.ts"),
  start: () => import("./start.ts"),
  synonyms: operation("synonyms"),
  token: () => import("./token.ts"),
  webhooks: operation("webhooks"),
};

/** Runs a command with these arguments; `process.exitCode` tells how it ended. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
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

  const [name = ""] = args;
  const load = commands[name];
  for (const one of load ? [load] : Object.values(commands)) program.addCommand((await one()).command);
  throwInsteadOfExit(program);
  try {
    if (name === "--version" || name === "-V")
      console.log((await import("./support/versions.ts")).versions());
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander exits with 1 for wrong arguments, like a command that fails; scripts must be able to tell them apart.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      console.error(describe(error));
      process.exitCode = error instanceof ConfigError ? 2 : 1;
    }
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand);
}

/** The message, or with LOG_LEVEL=debug the stack trace. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return showsStacks() ? (error.stack ?? error.message) : error.message;
}
