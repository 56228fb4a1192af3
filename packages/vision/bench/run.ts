import { parseArgs } from "node:util";
import { evaluateBoxes, evaluateVision, readJudged } from "./evaluate-vision.ts";
import { printBoxes, printReport } from "./print-report.ts";

const usage = `Usage: pnpm eval vision --data FOLDER [--source NAME] [--detection] [--json]

Evaluates the built-in model on photographs. Each subfolder of FOLDER is a source and has a manifest.csv. If the model was
trained on some of the photographs, it is trained again without those that are judged.

  --source NAME   judge the photographs of one source, with weights trained on the others (default: two folds by product)
  --detection     only how well objects are found`;

/** `pnpm eval vision`: figures on standard output, progress on standard error. */
export async function run(args: readonly string[]): Promise<void> {
  const options = {
    data: { type: "string" },
    source: { type: "string" },
    detection: { type: "boolean" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help || values.data === undefined) {
    console.log(usage);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const progress = (step: string) => console.error(step);
  if (values.detection) {
    const { photographs, folds, seen } = readJudged(values.data, values.source);
    const boxes = await evaluateBoxes(photographs, folds, seen, progress);
    console.log(values.json ? JSON.stringify(boxes, undefined, 2) : printBoxes(boxes));
    return;
  }
  const report = await evaluateVision(values.data, progress, values.source);
  console.log(values.json ? JSON.stringify(report, undefined, 2) : printReport(report));
}
