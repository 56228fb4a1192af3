import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createDeepSearch, type DeepSearch } from "@product-search/deep-search/deep-search.ts";
import { type AnswerRequest, answerRequests } from "../deep/answer-requests.ts";
import { openShop } from "../deep/open-shop.ts";

const sampleSize = 2400;
const help = `Usage: pnpm eval answers [--requests FILE]

Prints requests, the answers of deep search over the sample catalog without a language model, and the products shown, as
JSON: what a reader needs to judge the answers, and nothing else.

  --requests FILE  a JSON array of {"request": "...", "history": ["..."]} instead of the sixty built-in requests`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { requests: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const requests = values.requests === undefined ? answerRequests : readRequests(values.requests);
  const shop = await openShop(sampleSize);
  try {
    const deepSearch = createDeepSearch(shop.ports);
    const answers = [];
    for (const request of requests) answers.push(await answerTo(deepSearch, request));
    console.log(JSON.stringify(answers, undefined, 2));
  } finally {
    await shop.close();
  }
}

function readRequests(file: string): readonly AnswerRequest[] {
  return JSON.parse(readFileSync(file, "utf8"));
}

async function answerTo(deepSearch: DeepSearch, { request, history = [] }: AnswerRequest): Promise<object> {
  const { data } = await deepSearch.answer({ query: request, history }, new AbortController().signal);
  const { aiResponse, description, productCount, suggestions, topProducts } = data;
  return {
    request,
    ...(history.length > 0 && { history }),
    answer: aiResponse,
    description,
    productCount,
    suggestions,
    products: topProducts,
  };
}
