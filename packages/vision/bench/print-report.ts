import type { VisionReport } from "./evaluate-vision.ts";

const figure = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(3)).padStart(8);

/** The report as a table for people. */
export function printReport(report: VisionReport): string {
  const { small, network, labHistogram, hog } = report.baselines;
  const parts = [report, small, network, labHistogram, hog];
  const row = (name: string, ...values: (number | undefined)[]) =>
    name.padEnd(26) + values.map(figure).join("");
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
    `${"detection".padEnd(26)}  recall   false boxes an image`,
    row("all backgrounds", report.detectionRecall, report.falseBoxesPerImage),
    ...Object.entries(report.detectionByBackground).map(([name, part]) =>
      row(`  ${name}`, part.detectionRecall, part.falseBoxesPerImage),
    ),
    "",
    "confidence from, boxes, share that was right",
    ...report.calibration.map(
      ({ from, boxes, right }) => `  ${from.toFixed(1)}${String(boxes).padStart(6)}${figure(right)}`,
    ),
    "",
    `${report.msPerImage.toFixed(2)} ms an image on one core: ${Object.entries(report.msByStage)
      .map(([stage, time]) => `${stage} ${time.toFixed(2)}`)
      .join(", ")}`,
  ].join("\n");
}
