import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { backUp } from "../compose/backup.ts";
import { readEnvironment } from "../config.ts";
import { lowerPriority } from "../runtime/thread-priority.ts";
import { count } from "./support/output.ts";

export const command = new Command("backup")
  .description("back up the database and the secret key, also while the service runs")
  .argument("<dir>", "the folder for backups; each backup is a new folder in it")
  .option("--keep <number>", "number of backups to keep; older ones in the folder are deleted", parseKeep)
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
The backup is consistent, and requests and imports continue meanwhile. Before it gets its name, it is restored into a
temporary folder beside it, and every page is read: this needs free space of twice the size of the database. With
BACKUP_DIR, the service writes one each day. It contains secret.key unless SECRET_KEY is set: keep it as safe
as DATA_DIR. Indexes are not backed up: the service builds them from the database.

Examples:
  pnpm api backup /var/backups/product-search --keep 7
  pnpm api restore /var/backups/product-search`,
  )
  .action(async (dir: string, { keep, json }: { keep?: number; json?: boolean }) => {
    const config = readEnvironment();
    lowerPriority();
    const report = await backUp(config, resolve(dir), keep);
    if (json) {
      console.log(JSON.stringify(report));
      return;
    }
    const megabytes = ((report.files["store.sqlite"]?.bytes ?? 0) / 1e6).toFixed(1);
    console.log(`Wrote and verified ${report.path}: ${count(report.products)} products, ${megabytes} MB.`);
    if (report.secretKey === "environment") {
      console.log("It does not contain SECRET_KEY: keep the key elsewhere.");
    }
    for (const path of report.removed) console.log(`Deleted ${path}.`);
  });

function parseKeep(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 10_000) return number;
  throw new InvalidArgumentError("Write a whole number from 1 to 10000.");
}
