import {
  listDeadLetters,
  type RetriedLetter,
  retryDeadLetters,
} from "@product-search/features/dead-letters/dead-letters.ts";
import { Command } from "commander";
import type { Stores } from "../compose/stores/stores.ts";
import { formatTable, shortTime } from "./support/output.ts";
import { commandActor, wholeNumber, withStores } from "./support/store-command.ts";

export const command = new Command("dead-letters")
  .description("list and retry items that this service could not process")
  .addHelpText(
    "after",
    `
Items become dead letters after five failures of this service. A webhook target that does not respond does not cause a
dead letter: its deliveries are attempted ten times and can be replayed.

Examples:
  pnpm api dead-letters list
  pnpm api dead-letters retry dead_5kPz1cX2mQ8rT4vN
  pnpm api dead-letters retry --all --json`,
  );

command
  .command("list")
  .description("list dead letters, newest first")
  .option("--limit <number>", "maximum number to list", wholeNumber(1, 10_000), 100)
  .option("--json", "print JSON")
  .action(async (options: { limit: number; json?: boolean }) => {
    await withStores(async (stores) => {
      const letters = await listDeadLetters(stores, options.limit);
      if (options.json) console.log(JSON.stringify(letters));
      else if (letters.length === 0) console.log("No dead letters.");
      else console.log(formatTable(letters, columns));
    });
  });

command
  .command("retry")
  .description("put items back into their queues; the running service processes them within a second")
  .argument("[ids...]", "identifiers from `dead-letters list`")
  .option("--all", "retry all dead letters")
  .option("--json", "print JSON")
  .action(async (ids: string[], options: { all?: boolean; json?: boolean }) => {
    if (ids.length > 0 === (options.all === true)) {
      return command.error(
        "Name the dead letters to retry, or pass --all. `pnpm api dead-letters list` lists them.",
      );
    }
    await withStores(async (stores) => {
      const retried = await retryDeadLetters(stores, options.all ? "all" : ids);
      await audit(stores, retried);
      if (options.json) console.log(JSON.stringify(retried));
      else console.log(retried.map(describe).join("\n") || "No dead letters.");
      if (retried.some(({ outcome }) => remaining.includes(outcome))) process.exitCode = 1;
    });
  });

type Letter = Awaited<ReturnType<typeof listDeadLetters>>[number];

const columns = [
  { title: "ID", value: ({ id }: Letter) => id, isWhole: true },
  { title: "QUEUE", value: ({ queue }: Letter) => queue },
  { title: "ITEM", value: ({ item }: Letter) => item },
  { title: "CREATED", value: ({ createdAt }: Letter) => shortTime(createdAt) },
  { title: "ERROR", value: ({ failures, error }: Letter) => `${error} (${failures} failures)` },
];

async function audit({ unitOfWork }: Stores, retried: readonly RetriedLetter[]): Promise<void> {
  await unitOfWork.transact(commandActor(), async ({ audit: writer }) => {
    for (const { id, outcome } of retried) {
      if (outcome === "retried") await writer.record("dead_letter.retried", id);
    }
  });
}

/** Outcomes after which the dead letter stays. */
const remaining: readonly RetriedLetter["outcome"][] = ["absent", "disabled", "failed"];

const words: Record<RetriedLetter["outcome"], string> = {
  retried: "was put back into its queue, or processed.",
  failed: "failed again.",
  absent: "is not a dead letter. `pnpm api dead-letters list` lists them.",
  obsolete: "belongs to something that was deleted: removed.",
  disabled: "belongs to a disabled webhook: enable the webhook, then retry.",
};

function describe({ id, outcome }: RetriedLetter): string {
  return `${id} ${words[outcome]}`;
}
