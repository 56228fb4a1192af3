import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { startLocalService } from "./local-service.ts";
import type { Target } from "./partner.ts";
import { type Result, runDredd } from "./run-dredd.ts";

/** One request for each scope that changes nothing. */
const probes = {
  search: ["GET", "/search/suggestions?q=a"],
  webhooks: ["GET", "/webhooks"],
  catalog: ["DELETE", "/products/no-such-thing"],
  merchandising: ["GET", "/synonyms?origin=removed"],
} as const;

/** Asks the service which scopes each token lacks. Throws for a token that lacks none, or that the service does not know. */
export async function sortByMissingScope(
  baseUrl: string,
  tokens: readonly string[],
): Promise<NonNullable<Target["tokensWithout"]>> {
  const without: NonNullable<Target["tokensWithout"]> = {};
  for (const token of tokens) {
    const statusOf = async (method: string, path: string) =>
      (await fetch(baseUrl + path, { method, headers: { authorization: `Bearer ${token}` } })).status;
    const statuses: string[] = [];
    for (const [scope, [method, path]] of Object.entries(probes)) {
      const status = await statusOf(method, path);
      statuses.push(`${status} for ${scope}`);
      if (status === 403) without[scope] = token;
    }
    if (!Object.values(without).includes(token))
      throw new Error(`--narrow-token: the token lacks no scope (${statuses.join(", ")}).`);
  }
  return without;
}

// Dredd is old and causes deprecation warnings of Node, which say nothing about the service.
process.removeAllListeners("warning");

const defaultReport = fileURLToPath(new URL("../reports/junit.xml", import.meta.url));

interface Options {
  baseUrl?: string;
  token?: string;
  narrowToken: string[];
  allowLoad?: boolean;
  strict?: boolean;
  junit: string;
  json?: boolean;
}

await new Command("contract-tests")
  .description("hold a service to the OpenAPI document: every operation, every documented status")
  .option(
    "--base-url <url>",
    "a running service, with its version segment; without it one is started on a fresh sample catalog",
  )
  .addOption(new Option("--token <token>", "a token of that service with all scopes").env("TOKEN"))
  .option(
    "--narrow-token <token>",
    "a token that lacks scopes, for 403; give several tokens to test the operations of every scope",
    (token: string, tokens: string[]) => [...tokens, token],
    [],
  )
  .option(
    "--allow-load",
    "use up the rate limits of the token and of this address, for 429: up to 5000 requests each",
  )
  .option("--strict", "fail on fields in responses that the document does not name, too")
  .option("--junit <file>", "where to write the JUnit report", defaultReport)
  .option("--json", "print the results as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm contract-tests
  TOKEN=pss_… pnpm contract-tests --base-url https://search.example.com/api/v1
  TOKEN=pss_… pnpm contract-tests --base-url https://search.example.com/api/v1 \\
    --narrow-token pss_… --narrow-token pss_… --allow-load --strict
  pnpm contract-tests --base-url http://localhost:4010/api/v1 --token any     (the mock)

It exits with 1 when anything failed. Webhooks, rules and synonyms that it creates are deleted again, also when it fails early. If you
interrupt it, delete those with targets at contract-tests.example yourself.`,
  )
  .action(async (options: Options, command: Command) => {
    const { baseUrl, token, junit, json, strict = false } = options;
    if (baseUrl === undefined && command.getOptionValueSource("token") === "cli")
      command.error("--token needs --base-url.");
    if (baseUrl !== undefined && !token) command.error("--base-url needs a token: set TOKEN, or --token.");
    const own = baseUrl === undefined ? await startLocalService() : undefined;
    try {
      const target = own?.target ?? (await deployedTarget(options));
      const results = await runDredd({ target, strict });
      await writeJunit(junit, results);
      console.log(json ? JSON.stringify(results) : summary(results));
      if (results.some(({ outcome }) => outcome === "failed")) process.exitCode = 1;
    } finally {
      await own?.stop();
    }
  })
  .parseAsync();

async function deployedTarget({ baseUrl, token, narrowToken, allowLoad }: Options): Promise<Target> {
  const target = { baseUrl: String(baseUrl).replace(/\/+$/, ""), token: String(token) };
  return {
    ...target,
    tokensWithout: await sortByMissingScope(target.baseUrl, narrowToken),
    ...(allowLoad && { load: { token: target.token, trustsForwardedFor: false } }),
  };
}

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
