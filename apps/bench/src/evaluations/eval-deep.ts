import type { AnswerBrief, AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import { createDeepSearch } from "@product-search/deep-search/deep-search.ts";
import { understand } from "@product-search/deep-search/understanding/understand.ts";
import {
  adversarialSentences,
  honestSentences,
} from "@product-search/testing/deep-search/adversarial-sentences.ts";
import {
  readShopperRequests,
  type ShopperRequest,
} from "@product-search/testing/deep-search/shopper-requests.ts";
import { type KnownNames, ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import type { DeepSearchResult } from "@product-search/types";
import rows from "../deep/blind-requests.json" with { type: "json" };
import {
  brokenBounds,
  brokenConstraints,
  type Catalog,
  compareReading,
  countByHand,
  type EvalRequest,
  evalRequests,
  fruitless,
  repeats,
} from "../deep/judge-answer.ts";
import { openShop, type ShopPorts } from "../deep/open-shop.ts";
import type { Task } from "../support/dispatch.ts";

/**
 * Requests that were written before deep search had answered any of them. Every other one, from the second on, was held
 * back while the rules were changed.
 */
const blindRequests = readShopperRequests(rows);

const sampleSize = 2400;
export const help =
  "Usage: pnpm eval deep [--json]   reads, answers and lies over the sample catalog, and prints what went wrong";

interface Finding {
  request: string;
  faults: string[];
}

export const run: Task["run"] = async (args) => {
  const { report, findings } = await evaluateDeepSearch();
  if (args.includes("--json")) console.log(JSON.stringify(report));
  else print(report, findings);
};

export async function evaluateDeepSearch() {
  const shop = await openShop(sampleSize);
  try {
    const catalog = (await shop.ports.catalogStore.scan(0, sampleSize)).filter(
      ({ source }) => source === "catalog",
    );
    const names = {
      brands: [...new Set(catalog.flatMap(({ brand }) => brand ?? []))],
      texts: new Map(catalog.map(({ name, description }) => [name, description])),
    };
    const findings: Finding[] = [];
    for (const expected of evalRequests) findings.push(await judge(shop.ports, expected, catalog, names));
    const blind = await judgeBlind(shop.ports, names);
    const report = { ...summary(findings), ...(await tryLies(shop.ports, names)), ...blind.report };
    return { report, findings: [...findings, ...blind.findings] };
  } finally {
    await shop.close();
  }
}

const fruitful = new Map<string, boolean>();

async function judge(
  ports: ShopPorts,
  expected: EvalRequest,
  catalog: Catalog,
  names: KnownNames,
): Promise<Finding> {
  const { request } = expected;
  const signal = new AbortController().signal;
  const deepSearch = createDeepSearch(ports);
  const reading = compareReading(await understand(ports, request, signal), expected);
  const { data } = await deepSearch.answer({ query: request }, signal);
  const isWhole = !/set aside|without the words?/.test(data.description);
  const count = isWhole ? countByHand(expected, catalog) : undefined;
  const faults = [
    ...reading.map((fault) => `reading: ${fault}`),
    ...ungroundedStatements(data, names).map((fault) => `ungrounded: ${fault}`),
    ...brokenBounds(data, expected, catalog).map((fault) => `bound: ${fault}`),
    ...(isWhole ? brokenConstraints(data, expected, catalog).map((fault) => `constraint: ${fault}`) : []),
    ...(count !== undefined && count !== data.productCount
      ? [`count: ${data.productCount}, by hand ${count}`]
      : []),
    ...repeats(data).map((fault) => `repeated: ${fault}`),
    ...(await fruitless(data, deepSearch, fruitful)).map((fault) => `fruitless: ${fault}`),
    ...(data.suggestions.length === 0 ? ["no suggestion"] : []),
    ...(data.productCount > 0 === data.topProducts.length > 0 ? [] : ["count without products"]),
  ];
  return { request, faults };
}

/** Half of these were read while the rules were written; the other half was held back. */
async function judgeBlind(ports: ShopPorts, names: KnownNames) {
  const deepSearch = createDeepSearch(ports);
  const findings: Finding[] = [];
  for (const expected of blindRequests) {
    const { request: query, history = [] } = expected;
    const { data } = await deepSearch.answer({ query, history }, new AbortController().signal);
    const faults = [...faultsOf(data, expected), ...ungroundedStatements(data, names, history)];
    findings.push({ request: [...history, query].join(" » "), faults });
  }
  const good = (rest: number): number =>
    findings.filter(({ faults }, at) => at % 2 === rest && faults.length === 0).length;
  return { report: { blind: findings.length, blindTuned: good(0), blindHeld: good(1) }, findings };
}

function summary(findings: readonly Finding[]) {
  const having = (kind: string): number =>
    findings.filter(({ faults }) => faults.some((fault) => fault.startsWith(kind))).length;
  return {
    requests: findings.length,
    understood: findings.length - having("reading"),
    ungroundedAnswers: having("ungrounded"),
    brokenBounds: having("bound"),
    brokenConstraints: having("constraint"),
    wrongCounts: having("count"),
    repeats: having("repeated"),
    fruitlessSuggestions: having("fruitless") + having("no suggestion"),
  };
}

/** Runs the whole of deep search with every false sentence as the answer of a model. */
async function tryLies(ports: ShopPorts, names: KnownNames) {
  const signal = new AbortController().signal;
  const query = "shoes and bags";
  let brief: AnswerBrief | undefined;
  const peeking = createLyingWriter((given) => {
    brief = given;
    return "";
  });
  await createDeepSearch({ ...ports, modelWriter: peeking }).answer({ query }, signal);
  if (brief === undefined) throw new Error(`"${query}" finds nothing to lie about.`);
  const outside = { name: "Lumenholt Desk Lamp", brand: "Lumenholt" };
  const lies = adversarialSentences(brief, outside);
  const told: string[] = [];
  for (const { sentence } of lies) {
    const deepSearch = createDeepSearch({ ...ports, modelWriter: createLyingWriter(() => sentence) });
    const { writer, data } = await deepSearch.answer({ query }, signal);
    if (writer === "model" || ungroundedStatements(data, names).length > 0) told.push(sentence);
  }
  const refused: string[] = [];
  for (const sentence of honestSentences(brief)) {
    const deepSearch = createDeepSearch({ ...ports, modelWriter: createLyingWriter(() => sentence) });
    if ((await deepSearch.answer({ query }, signal)).writer !== "model") refused.push(sentence);
  }
  return {
    lies: lies.length,
    ungroundedStatements: told.length,
    told,
    honest: honestSentences(brief).length,
    refused,
  };
}

function print(report: object, findings: readonly Finding[]): void {
  for (const { request, faults } of findings.filter((finding) => finding.faults.length > 0)) {
    console.log(`${request}\n${faults.map((fault) => `    ${fault}`).join("\n")}`);
  }
  for (const [name, value] of Object.entries(report)) console.log(`${name.padEnd(22)} ${value}`);
}

/** A model that returns a given sentence, and returns it again when asked for another. */
function createLyingWriter(lie: (brief: AnswerBrief) => string): AnswerWriter {
  return {
    plan: async () => undefined,
    async *write(brief) {
      yield "{p1.name} fits best.";
      yield lie(brief);
    },
    repair: async (brief) => lie(brief),
  };
}

/** What an answer has that its request does not allow, or lacks. */
function faultsOf(
  { aiResponse, topProducts }: DeepSearchResult,
  { kinds, not, first, min = 0, max = Number.POSITIVE_INFINITY, order, says }: ShopperRequest,
): string[] {
  const [best] = topProducts;
  const column = topProducts.map(({ price, averageRating = 0 }) =>
    order === "rating desc" ? averageRating : price,
  );
  const inOrder = column.toSorted((one, other) => (order === "price asc" ? one - other : other - one));
  return [
    ...(topProducts.length > 0 === (kinds !== undefined) ? [] : ["finds nothing, or what is not there"]),
    ...topProducts.flatMap(({ name, price }) => [
      ...((kinds?.test(name) ?? true) && !not?.test(name) ? [] : [`another kind: ${name}`]),
      ...(price >= min && price <= max ? [] : [`price: ${price}`]),
    ]),
    ...(best !== undefined && first?.test(best.name) === false ? [`first: ${best.name}`] : []),
    ...(order !== undefined && column.join() !== inOrder.join() ? ["another order"] : []),
    ...(says === undefined || says.test(aiResponse) ? [] : [`says: ${aiResponse}`]),
  ];
}
