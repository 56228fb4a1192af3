import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Result } from "./run-dredd.ts";

/** The summary for people: skipped checks grouped by reason, all failures in full, and the counts. */
export function summary(results: readonly Result[]): string {
  const lines: string[] = [];
  const skipped = Map.groupBy(
    results.filter(({ outcome }) => outcome === "skipped"),
    ({ message }) => message,
  );
  for (const [reason, group] of skipped) {
    const names = group.map(({ operationId, status }) => `${operationId} ${status}`).join(", ");
    lines.push(`skipped  ${group.length}: ${reason}\n         ${names}`);
  }
  for (const { operationId, status, message } of results.filter(({ outcome }) => outcome === "failed")) {
    lines.push(`FAILED   ${operationId} ${status}\n         ${message.replaceAll("\n", "\n         ")}`);
  }
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  lines.push(`\n${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`);
  return lines.join("\n");
}

/** JUnit XML, which every CI can show. */
export async function writeJunit(path: string, results: readonly Result[]): Promise<void> {
  const cases = results.map(({ operationId, status, mediaType, outcome, message, milliseconds }) => {
    const head = `<testcase classname="${operationId}" name="${status} ${mediaType}" time="${milliseconds / 1000}">`;
    if (outcome === "passed") return `${head}</testcase>`;
    const tag = outcome === "failed" ? "failure" : "skipped";
    return `${head}<${tag} message="${escapeXml(message)}"/></testcase>`;
  });
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="contract" tests="${results.length}" failures="${count("failed")}" skipped="${count("skipped")}">
${cases.join("\n")}
</testsuite>
`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, xml);
}

function escapeXml(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
      .replaceAll("\n", "&#10;")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids exactly these.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd")
  );
}
