import type { evaluateBoxes, VisionReport } from "./evaluate-vision.ts";

type BoxesReport = Awaited<ReturnType<typeof evaluateBoxes>>;

const figure = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(3)).padStart(8);

const row = (name: string, ...values: (number | undefined)[]) =>
  name.padEnd(26) + values.map(figure).join("");

/** What is known of detection alone. */
export function printBoxes(report: BoxesReport): string {
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
export function printReport(report: VisionReport): string {
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
