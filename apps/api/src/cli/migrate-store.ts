import { Command } from "commander";
import { composeStoreMigration, type MigrationProgress } from "../compose/stores/store-types.ts";
import { ConfigError, readConfig, readEnvironment } from "../config.ts";
import { count, createProgressLine, progressText } from "./support/output.ts";

export const command = new Command("migrate-store")
  .description("copy the SQLite store in DATA_DIR to PostgreSQL, and verify the copy")
  .requiredOption(
    "--to <url>",
    "an empty database, such as postgres://user:password@host:5432/product_search",
  )
  .option("--json", "print the result as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api migrate-store --to postgres://product_search:secret@db.example:5432/product_search
  DATA_DIR=/var/lib/product-search pnpm api migrate-store --to postgres://… --json

Copies products with their price histories and change log, accounts, tokens, webhooks, pending and past deliveries,
images and everything else, then compares every row of both sides and prints counts and checksums. The service may run
meanwhile: run the command once while it runs, stop the service, and run it again, which copies only what has changed. A
run that was interrupted is continued by the next one. Then start the nodes with DATABASE_URL and SECRET_KEY: docs/scale.md.`,
  )
  .action(async ({ to, json }: { to: string; json?: boolean }) => {
    const config = readEnvironment();
    if (config.databaseUrl !== undefined) {
      throw new ConfigError(
        "DATABASE_URL is set: unset it. The store that is copied is the one in DATA_DIR.",
      );
    }
    const { databaseUrl: url = to } = readConfig({
      DATABASE_URL: to,
      SECRET_KEY: Buffer.alloc(32).toString("base64"),
    });
    const line = createProgressLine();
    const startedAt = performance.now();
    const result = await composeStoreMigration(config, url, (progress) =>
      line.show(() => describe(progress, performance.now() - startedAt)),
    ).finally(() => line.end());
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    if (json) {
      console.log(JSON.stringify({ ...result, seconds }));
      return;
    }
    for (const { name, rows, checksum } of result.tables)
      console.log(`${name.padEnd(22)} ${count(rows).padStart(12)} rows  sha256 ${checksum.slice(0, 16)}`);
    console.log(`Identical on both sides. ${count(result.written)} rows were written, in ${seconds} s.`);
    if (result.secretKeyFile !== undefined)
      console.log(
        `On all nodes set SECRET_KEY to the content of ${result.secretKeyFile}: it decrypts the signing keys of webhooks.`,
      );
  });

const stepNames = { cleaning: "Looking for removed rows in", copying: "Copying", verifying: "Verifying" };

function describe({ step, table, done, total }: MigrationProgress, elapsedMs: number): string {
  return `${stepNames[step]} ${table}: ${progressText(done, total, elapsedMs, " rows")}`;
}
