import { resolve } from "node:path";
import { Command } from "commander";
import { restore } from "../compose/backup.ts";
import { readEnvironment } from "../config.ts";
import { count } from "./support/output.ts";

export const command = new Command("restore")
  .description("replace the database with a backup; stop the service first")
  .argument("<dir>", "a backup, or a folder of backups, of which the newest is used")
  .option("--force", "restore even if the current database is damaged and cannot be opened")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
The command checks the checksums, every page of the copy and the secret key first, and refuses while a process uses the
database. The former files stay in DATA_DIR/replaced-…: delete them when everything works. The service builds its indexes
from the database at its next start.

Examples:
  pnpm api restore /var/backups/product-search
  pnpm api restore /var/backups/product-search/backup-2026-11-22T03-00-00.000Z`,
  )
  .action(async (dir: string, { force, json }: { force?: boolean; json?: boolean }) => {
    const restored = await restore(readEnvironment(), resolve(dir), force === true);
    if (json) {
      console.log(JSON.stringify(restored));
      return;
    }
    console.log(
      `Restored ${restored.path} of ${restored.createdAt}: ${count(restored.products)} products. Start the service now.`,
    );
    if (restored.formerFiles !== undefined) {
      console.log(`The former files are in ${restored.formerFiles}.`);
    }
  });
