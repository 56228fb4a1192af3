import { Command } from "commander";
import { readEnvironment } from "../config.ts";
import { runUntilStopped } from "./support/run-until-stopped.ts";

export const command = new Command("serve")
  .description("run the service with the settings from the environment")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api serve
  HOST=0.0.0.0 PORT=8080 PUBLIC_URL=https://search.example.com DATA_DIR=/var/lib/product-search pnpm api serve

After SIGTERM it finishes the accepted requests and stops within ten seconds.`,
  )
  .action(async () => {
    await runUntilStopped(readEnvironment(), (service) => {
      console.error(`Serving at ${service.publicUrl}/api/v1`);
    });
  });
