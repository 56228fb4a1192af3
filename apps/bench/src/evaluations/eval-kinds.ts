import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { openShop, type ShopPorts } from "../deep/open-shop.ts";
import type { Task } from "../support/dispatch.ts";
import { wholeNumber } from "../support/whole-number.ts";

export const help = `Usage: pnpm eval kinds [--products N] [--half tuned|held] [--json]

Asks the sample catalog (2400 products) for things in vague words, misspelt, in foreign languages and with conditions, and
for things that it lacks. Thresholds were chosen with every other query ("tuned"); the others were held back. A result is good if each of the first five products is what was
meant, acceptable if the first one is; "among" counts those with a right one. Things that the catalog lacks must find nothing.`;

const judged = 5;

export const run: Task["run"] = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "2400" },
      half: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const shop = await openShop(wholeNumber("--products", values.products));
  try {
    const halves = [
      ["tuned", 0],
      ["held", 1],
    ] as const;
    for (const [half, rest] of halves) {
      if (values.half !== undefined && values.half !== half) continue;
      const inHalf = (_: string, at: number) => at % 2 === rest;
      const judgeFirst = (file: string) => judgeQueries(shop.ports, linesOf(file).filter(inHalf));
      const lists = {
        vague: await judgeFirst("vague-queries.txt"),
        described: await judgeFirst("new-descriptions.txt"),
        misspelt: await judgeFirst("misspelt-queries.txt"),
        foreign: await judgeFirst("foreign-queries.txt"),
        conditions: await judgeFirst("queries-with-conditions.txt"),
        absent: await judgeAbsent(shop.ports, linesOf("absent-things.txt").filter(inHalf)),
      };
      print(half, lists, values.json === true);
    }
  } finally {
    await shop.close();
  }
};

function linesOf(file: string): string[] {
  return readFileSync(new URL(`../kinds/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n");
}

type Verdict = "good" | "acceptable" | "wrong" | "nothing";

interface Judged {
  readonly query: string;
  readonly verdict: Verdict;
  readonly firstKind: string;
  /** Whether one of the judged products is right. */
  readonly isAmong: boolean;
}

/** Lines are `query => words`: a right product has one of the words; with `&`, one of each of the groups of words. */
async function judgeQueries(ports: ShopPorts, lines: readonly string[]): Promise<Judged[]> {
  return Promise.all(
    lines.map(async (line) => {
      const [query = "", wanted = ""] = line.split(" => ");
      const texts = await firstTexts(ports, query);
      const isRight = texts.map((text) =>
        wanted.split(" & ").every((words) => words.split("|").some((word) => text.includes(word))),
      );
      return {
        query,
        verdict: verdictOf(isRight),
        firstKind: texts[0] ?? "",
        isAmong: isRight.some(Boolean),
      };
    }),
  );
}

function verdictOf(isRight: readonly boolean[]): Verdict {
  if (isRight.length === 0) return "nothing";
  if (isRight.every(Boolean)) return "good";
  return isRight[0] === true ? "acceptable" : "wrong";
}

/** Lines end with `near`, if the catalog has something alike, or with `far`. */
async function judgeAbsent(ports: ShopPorts, lines: readonly string[]): Promise<Judged[]> {
  return Promise.all(
    lines.map(async (line) => {
      const query = line.replace(/ (?:near|far)$/, "");
      const [firstKind] = await firstTexts(ports, query);
      return {
        query,
        verdict: firstKind === undefined ? ("good" as const) : ("wrong" as const),
        firstKind: firstKind ?? "",
        isAmong: firstKind === undefined,
      };
    }),
  );
}

async function firstTexts({ textSearch, catalogStore }: ShopPorts, text: string): Promise<string[]> {
  const { rowIds } = await textSearch.search(
    { text, filters: { source: "catalog" }, sort: "relevance", offset: 0, limit: judged, byMeaning: true },
    new AbortController().signal,
  );
  const products = await catalogStore.findByRowIds(rowIds);
  return products.map(textOf);
}

/** Name, category and attributes, in lower case: "tee (t-shirts) size: s size: m". */
function textOf({ name, category = "", attributes = {} }: StoredProduct): string {
  const values = Object.entries(attributes).flatMap(([attribute, all]) =>
    all.map((value) => `${attribute}: ${value}`),
  );
  return [`${name} (${category})`, ...values].join(", ").toLowerCase();
}

function print(half: string, lists: Readonly<Record<string, readonly Judged[]>>, asJson: boolean): void {
  for (const [list, judgements] of Object.entries(lists)) {
    const count = (verdict: Verdict) => judgements.filter((one) => one.verdict === verdict).length;
    const counts = {
      good: count("good"),
      acceptable: count("acceptable"),
      wrong: count("wrong"),
      nothing: count("nothing"),
      among: judgements.filter(({ isAmong }) => isAmong).length,
    };
    console.log(
      asJson ? JSON.stringify({ half, list, ...counts }) : `${half} ${list}: ${JSON.stringify(counts)}`,
    );
    if (asJson) continue;
    for (const { query, verdict, firstKind: found } of judgements)
      if (verdict === "wrong" || verdict === "nothing") console.log(`    ${query}: ${verdict} ${found}`);
  }
}
