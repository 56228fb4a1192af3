import { parseArgs } from "node:util";
import { measureHistories } from "./webhooks/histories.ts";

const help = `Usage: pnpm bench webhooks [--histories N [--seed N]] [--json]

  --histories N   live through N random histories with kill -9 at random writes, and count events lost or invented
  --seed N        of the first history (default 1); the same seed gives the same histories`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      histories: { type: "string" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const figures = await measureHistories(Number(values.histories), Number(values.seed));
  if (figures.details.length > 0) process.exitCode = 1;
  console.log(values.json ? JSON.stringify(figures) : figures);
}
