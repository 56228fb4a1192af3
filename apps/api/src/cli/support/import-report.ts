import type { ImportStep } from "@product-search/features/catalog/import/import-summary.ts";
import { createProgressLine, duration, progressText } from "./progress-line.ts";

/** Shows the steps of an import on standard error, with rate and time left. */
export function createImportReport() {
  const line = createProgressLine();
  let phase: ImportStep["phase"] | undefined;
  let phaseStartedAt = 0;
  return {
    step(step: ImportStep): void {
      if (step.phase !== phase) {
        line.end();
        phase = step.phase;
        phaseStartedAt = performance.now();
      }
      line.show(() => describeStep(step, performance.now() - phaseStartedAt));
    },
    warn({ message }: Error): void {
      line.end();
      console.error(message);
    },
    end: () => line.end(),
  };
}

function describeStep({ phase, done, total, label }: ImportStep, elapsedMs: number): string {
  switch (phase) {
    case "waiting":
      return `Waiting for another import to finish: ${label ?? "unknown"} (${duration(elapsedMs / 1000)})`;
    case "reading":
      return `Reading: ${bytesText(done, total, elapsedMs)}`;
    case "sorting":
      return "Sorting";
    case "finishing":
      return `Finishing an interrupted import: ${progressText(done, total, elapsedMs)}`;
    case "applying":
      return `Applying: ${progressText(done, total, elapsedMs)}`;
  }
}

function bytesText(done: number, total: number | undefined, elapsedMs: number): string {
  const [bytes, unit] = (total ?? done) < 1e6 ? [1e3, " kB"] : [1e6, " MB"];
  const amount = (value: number) => Math.round((value / bytes) * 10) / 10;
  return progressText(amount(done), total && amount(total), elapsedMs, unit);
}
