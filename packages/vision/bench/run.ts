import { parseArgs } from "node:util";
import { evaluateVision } from "./evaluate-vision.ts";
import { printReport } from "./print-report.ts";

const usage =
  "Usage: pnpm eval vision --data <folder of photographs with a manifest.csv in each subfolder> [--json]";

/** `pnpm eval vision`: figures on standard output, progress on standard error. */
export async function run(args: readonly string[]): Promise<void> {
  const options = { data: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help || values.data === undefined) {
    console.log(usage);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const report = await evaluateVision(values.data, (step) => console.error(step));
  console.log(values.json ? JSON.stringify(report, undefined, 2) : printReport(report));
}
