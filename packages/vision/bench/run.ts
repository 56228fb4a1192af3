import { parseArgs } from "node:util";
import type { VisionReport } from "./evaluate-vision.ts";
import { evaluateBoxes, evaluateVision, readJudged } from "./evaluate-vision.ts";

const figure = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(3)).padStart(8);

const row = (name: string, ...values: (number | undefined)[]) =>
  name.padEnd(26) + values.map(figure).join("");

export const help = `Usage: pnpm eval vision --data FOLDER [--source NAME] [--detection] [--json]

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
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.data === undefined) {
    console.error(help);
    process.exitCode = 2;
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

type BoxesReport = Awaited<ReturnType<typeof evaluateBoxes>>;

/** What is known of detection alone. */
function printBoxes(report: BoxesReport): string {
  const calibrated = (rows: BoxesReport["calibration"]) =>
    rows.map(({ from, boxes, right }) => `  ${from.toFixed(1)}${String(boxes).padStart(6)}${figure(right)}`);
  return [
    `${"detection".padEnd(26)}  recall   false boxes an image`,
    row("all backgrounds", report.detectionRecall, report.falseBoxesPerImage),
    ...Object.entries(report.detectionByBackground).map(([name, part]) =>
      row(`  ${name}`, part.detectionRecall, part.falseBoxesPerImage),
    ),
    "",
    "confidence from, boxes, share that was right",
    ...calibrated(report.calibration),
    "the same on photographs",
    ...calibrated(report.calibrationOnPhotographs),
  ].join("\n");
}

/** The report as a table for people. */
function printReport(report: VisionReport): string {
  const { small, network, labHistogram, hog } = report.baselines;
  const parts = [report, small, network, labHistogram, hog];
  const compared = [
    "classPrecisionAt10",
    "classMap",
    "productRecallAt1",
    "packShotRecallAt1",
    "nearDuplicateRecallAt1",
  ] as const;
  const transforms = Object.keys(report.nearDuplicateByTransform);
  return [
    `Judged with: ${report.weights}; ${report.photographs} photographs`,
    "",
    `${"".padEnd(26)}built-in   small network Lab hist     HOG`,
    ...compared.map((key) => row(key, ...parts.map((part) => part[key]))),
    "",
    "near duplicates, by transform",
    ...transforms.map((name) =>
      row(`  ${name}`, ...parts.map((part) => part.nearDuplicateByTransform[name])),
    ),
    "",
    printBoxes(report),
    "",
    `${report.msPerImage.toFixed(2)} ms an image on one core: ${Object.entries(report.msByStage)
      .map(([stage, time]) => `${stage} ${time.toFixed(2)}`)
      .join(", ")}`,
  ].join("\n");
}
