import { describe, expect, inject, it } from "vitest";
import { freePort } from "../packages/testing/src/outbound-http/listen.ts";
import { blocks, named } from "./docs-blocks.ts";
import { bash, runProgram, start } from "./docs-service.ts";

const docs = inject("docs");

/** Blocks that no test of the documentation runs, with the reason. */
const notRun: [pattern: RegExp, reason: string][] = [
  [
    /^npx pnpm@12\.21\.0 start$/,
    "its parts run here: the dependencies are installed, the service is started",
  ],
  [/^pnpm start$/, "it is started here by the same entry, on a port of its own"],
  [/^(?:npx pnpm@12\.21\.0 install\n)?npx pnpm@12\.21\.0 test$/, "it is what runs this"],
  [
    /^npm install (?:--save-dev )?@product-search\/\w+$/,
    "the rehearsal of a release installs from a registry",
  ],
  [
    /^npm install (?:instantsearch\.js|react react-dom react-instantsearch) @product-search\/instantsearch$/,
    "the rehearsal of a release installs from a registry",
  ],
  [
    /^import \{ createSearchClient \} from /,
    "a fragment; the page of docs/instantsearch.md runs in a browser in the console's tests",
  ],
  [/^npx @product-search\/mock change /, "the tests of the mock's package run the command"],
  [/^export TOKEN=pss_…$/, "the token is in the environment here"],
  [/^const builder = createSegmentBuilder\(\);/, "a fragment; the tests of text-index make these calls"],
  [/^pnpm add -w onnxruntime-node@/, "it downloads 290 MB; the tests of vision load models in the same way"],
  [/^npx @product-search\/server/, "the rehearsal of a release and the tests of the package run it"],
  [/^pnpm api webhooks listen --forward-to /, "a test of the service's processes runs both commands"],
  [
    /^python3 -m venv venv && venv\/bin\/pip install --no-deps -r make\/requirements/,
    "it downloads the words; the tests of word-meaning run the script where Python has them",
  ],
  [
    /^(?:create role product_search_owner|revoke all on database|grant select, insert)/,
    "a test of the service runs these statements on a real PostgreSQL",
  ],
  [/^npx @shopify\/ucp-cli discover /, "the tests of the service run this command"],
];
/** Diagrams, and responses that the mock's own tests compare with its output. */
const shown = new Set(["text", "json"]);

describe("the documentation", () => {
  it("has no block without a test", () => {
    const loose = blocks.filter(
      ({ page, test, language, text }) =>
        test === undefined &&
        !shown.has(language) &&
        !(page === "apps/mock/README.md" && text.startsWith("curl ")) &&
        !notRun.some(([pattern]) => pattern.test(text.trim())),
    );
    expect(loose).toEqual([]);
    expect(blocks.length).toBeGreaterThan(40);
  });

  it.each(notRun)("has a block %s that is not run: %s", (pattern) => {
    expect(blocks.filter(({ test, text }) => test === undefined && pattern.test(text.trim()))).not.toEqual(
      [],
    );
  });

  it.each(named("service", "mock-call"))("runs %s", async (_, { text }) => {
    const output = await bash(docs, text);
    // The only expected error is the rate limit that the block requests from the mock.
    expect(output.replaceAll(/\{[^{}]*"rate_limited"[^{}]*\}/g, "")).not.toMatch(
      /"status":"error"|"success":false/,
    );
  });

  it.each(named("command"))("runs %s", async (_, { text }) => {
    await bash(docs, text);
  });

  it.each(named("client"))("runs with the client %s", async (_, { text }) => {
    const output = await runProgram(docs, text);
    expect(output.trim()).not.toBe("");
    expect(output).not.toMatch(/^(false|0 chairs)$/m);
  });

  it.each(named("partner"))("runs against the mock %s", async (_, { text }) => {
    expect(await runProgram(docs, text, "block.mjs")).toMatch(/^\d+ lamps\n.+: [\d.]+ → [\d.]+\n$/);
  });

  it.each(named("mock"))("starts %s", async (_, { text }) => {
    const port = String(await freePort());
    // `pnpm mock` starts the same package; another test installs the packed one.
    const command = text.replace("npx @product-search/mock", "pnpm mock").replace("4010", port);
    const mock = await start(command, {}, new RegExp(`http://127\\.0\\.0\\.1:${port}/api/v1`));
    const received = await fetch(`http://127.0.0.1:${port}/api/v1/search/trial?q=mug`);
    await mock.stop();
    expect(received.status).toBe(200);
  });

  it.each(named("stock-mock"))("starts %s", async (_, { text }) => {
    const port = String(await freePort());
    const prism = await start(text.replace("4010", port), {}, /Prism is listening/);
    const response = await fetch(`http://127.0.0.1:${port}/search/trial?q=mug`);
    await prism.stop();
    expect(response.status).toBe(200);
  });

  // Run by the suite of the contract tests, against this service and others.
  it.each(named("contract"))("shows options that exist: %s", async (_, { text }) => {
    const help = await bash(docs, "pnpm --silent contract-tests --help");
    for (const option of text.match(/--[\w-]+/g) ?? []) expect(help).toContain(option);
  });
});
