import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { startLocalService } from "./local-service.ts";
import { sortByMissingScope, type Target } from "./partner.ts";
import { summary, writeJunit } from "./report.ts";
import { runDredd } from "./run-dredd.ts";

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
