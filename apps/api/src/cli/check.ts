import { Command } from "commander";
import { checkStore } from "../compose/start-checks.ts";
import { readEnvironment } from "../config.ts";

export const command = new Command("check")
  .description("check the whole database, the secret key and the settings")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
The service makes the same checks when it starts, but reads only a part of a database above 256 MB. The command can run
while the service runs.

Examples:
  pnpm api check`,
  )
  .action(async (options: { json?: boolean }) => {
    await checkStore(readEnvironment(), true);
    console.log(options.json ? JSON.stringify({ ok: true }) : "No errors found.");
  });
