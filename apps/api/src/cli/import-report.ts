import type { ImportStep } from "../features/catalog/import/import-summary.ts";
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
    end: () => line.end(),
  };
}

function describeStep({ phase, done, total, label }: ImportStep, elapsedMs: number): string {
  switch (phase) {
    case "waiting":
      return `Waiting for another import to end: ${label ?? "unknown"} (${duration(elapsedMs / 1000)})`;
    case "reading":
      return `Reading: ${progressText(megabytes(done), total && megabytes(total), elapsedMs, " MB")}`;
    case "sorting":
      return "Sorting";
    case "finishing":
      return `Finishing an import that was interrupted: ${progressText(done, total, elapsedMs)}`;
    case "applying":
      return `Applying: ${progressText(done, total, elapsedMs)}`;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
