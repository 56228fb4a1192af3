import { Command } from "commander";
import { checkStore } from "../compose/start-checks.ts";
import { readConfig } from "../config.ts";

export const command = new Command("check")
  .description("read the whole store and check it, its secret key and the settings")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
Every start checks the same, but reads a store over 256 MB only in part. May run beside the service.

Examples:
  pnpm api check`,
  )
  .action(async (options: { json?: boolean }) => {
    await checkStore(readConfig(process.env), true);
    console.log(options.json ? JSON.stringify({ ok: true }) : "No fault found.");
  });
