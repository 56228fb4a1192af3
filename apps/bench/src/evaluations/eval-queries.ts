import { parseArgs } from "node:util";
import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "@product-search/text-index";
import { readTitles } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import sampleQueries from "../queries/sample-queries.json" with { type: "json" };
import shopQueries from "../queries/shop-queries.json" with { type: "json" };
import titleQueries from "../queries/title-queries.json" with { type: "json" };
import { wholeNumber } from "../support/whole-number.ts";
import { sampleDocuments } from "../text/sample-documents.ts";

const judged = 5;

/** Searches documents in the same way as the service. */
export function searchDocuments(documents: readonly IndexDocument[]): (text: string) => Response {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  const index = openIndex(snapshotOf(builder.build(), 0), undefined, [serviceLanguage]);
  const byId = new Map(documents.map((document) => [document.id, document.fields]));
  return (text) => {
    const { rowIds: ids, total, words } = index.search({ text, offset: 0, limit: judged });
    const first = ids.flatMap((id) => {
      const fields = byId.get(id);
      return fields === undefined ? [] : [titleOf(fields)];
    });
    const corrected = words.filter(({ as }) => as === "corrected");
    return { total, first, corrected: corrected.map(({ word, used }) => `${word} as ${used.join(" ")}`) };
  };
}

function titleOf({ name, category }: Pick<IndexDocument["fields"], "name" | "category">): string {
  return `${name} (${category})`;
}

interface Shop {
  /** Names, separated by semicolons, by the path of their category. */
  readonly products: Readonly<Record<string, string>>;
  /** Like `QueryList.present`. Every second one is held back: nothing is tuned on it. */
  readonly queries: readonly string[];
}

function shopDocuments({ products }: Shop): IndexDocument[] {
  const rows = Object.entries(products).flatMap(([category, names]) =>
    names.split("; ").map((name) => ({ name, path: category.split(" > ") })),
  );
  return rows.map(({ name, path }, id) => ({
    id,
    tie: id,
    fields: { name, brand: "", store: "", description: "", category: path.at(-1) ?? "" },
    categoryPaths: [path],
    source: 0,
    priceMinor: 0,
    rating: 0,
    discount: 0,
    quality: 0,
    availability: 0,
    boosted: false,
  }));
}

/** The lists of all shops as one, by halves. */
export function judgeShops(shops: Readonly<Record<string, Shop>>): Record<"tuned" | "held", QueryReport> {
  const half = (rest: number) =>
    Object.values(shops)
      .map((shop) => {
        const present = shop.queries.filter((_, place) => place % 2 === rest);
        const documents = shopDocuments(shop);
        const stock = documents.map(({ fields }) => titleOf(fields));
        return judgeQueries({ absent: [], present, typos: [] }, searchDocuments(documents), stock);
      })
      .reduce(joinReports);
  return { tuned: half(0), held: half(1) };
}

function joinReports(one: QueryReport, other: QueryReport): QueryReport {
  const join = (part: keyof QueryReport): Judgement => ({
    queries: one[part].queries + other[part].queries,
    missed: [...one[part].missed, ...other[part].missed],
  });
  return {
    absent: join("absent"),
    present: join("present"),
    right: join("right"),
    typos: join("typos"),
    uncorrected: join("uncorrected"),
  };
}

export const help = `Usage: pnpm eval queries [--data FOLDER] [--products N] [--json]

Asks hand-written queries of the sample catalog (5000 products), of five small shops and, with a folder in the WANDS
layout, of its titles: things that are absent, which must find nothing; things that are there, also under other names,
of which the first five must be what was asked for; and misspelt ones. Words without a slip must not be taken for
others. Half of the shops' queries is held back.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      products: { type: "string", default: "5000" },
      json: { type: "boolean" },
    },
  });
  const sample = searchDocuments([...sampleDocuments(wholeNumber("--products", values.products))]);
  const reports = [
    { catalog: "sample", report: judgeQueries(sampleQueries, sample) },
    ...Object.entries(judgeShops(shopQueries)).map(([half, report]) => ({
      catalog: `shops ${half}`,
      report,
    })),
    ...(values.data === undefined
      ? []
      : [
          { catalog: "titles", report: judgeQueries(titleQueries, searchDocuments(readTitles(values.data))) },
        ]),
  ];
  if (values.json) console.log(JSON.stringify(reports));
  else for (const { catalog, report } of reports) print(catalog, report);
}

function print(catalog: string, report: QueryReport): void {
  for (const [name, { queries, missed }] of Object.entries(report)) {
    console.log(`${catalog} ${name}: ${queries - missed.length} of ${queries}`);
    for (const miss of missed) console.log(`    ${miss}`);
  }
}

/** The parts of a search result that are evaluated. */
interface Response {
  readonly total: number;
  /** Name and category of each of the first five hits. */
  readonly first: readonly string[];
  /** Words that were corrected to others. */
  readonly corrected: readonly string[];
}

interface QueryList {
  readonly absent: readonly string[];
  /** `query => what each of the first five has`; alternatives are separated by bars. */
  readonly present: readonly string[];
  readonly typos: readonly string[];
}

interface Judgement {
  readonly queries: number;
  /** The queries with a wrong result, each with that result. */
  readonly missed: readonly string[];
}

interface QueryReport {
  /** The catalog does not have these things: nothing may be found. */
  readonly absent: Judgement;
  /** The catalog has these things: something must be found. */
  readonly present: Judgement;
  /** Each of the first five must be the requested thing. */
  readonly right: Judgement;
  /** Misspelt queries must find what was meant. */
  readonly typos: Judgement;
  /** In all queries without a misspelling: no word may be corrected. */
  readonly uncorrected: Judgement;
}

/** `stock`: of a small shop, in which the first hits are those that are right, as far as it has five. */
export function judgeQueries(
  list: QueryList,
  search: (text: string) => Response,
  stock?: readonly string[],
): QueryReport {
  const absent = linesOf(list.absent);
  const present = linesOf(list.present);
  return {
    absent: judge(absent, ({ text }) => unless(search(text).total === 0, search(text).first[0])),
    present: judge(present, ({ text }) => unless(search(text).total > 0, "nothing")),
    right: judge(present, (line) => {
      const { total, first } = search(line.text);
      const most = stock?.filter((title) => isExpected(line, title)).length ?? judged;
      return wrongHit(line, { total, first: first.slice(0, most) });
    }),
    typos: judge(linesOf(list.typos), (line) => wrongHit(line, search(line.text))),
    uncorrected: judge([...absent, ...present], ({ text }) => {
      const { corrected } = search(text);
      return unless(corrected.length === 0, corrected.join(", "));
    }),
  };
}

interface Line {
  readonly text: string;
  readonly expected: readonly string[];
}

function linesOf(list: readonly string[]): Line[] {
  return list.map((line) => {
    const [text = "", words = ""] = line.split(" => ");
    return { text, expected: words.split("|") };
  });
}

function judge(lines: readonly Line[], fault: (line: Line) => string | undefined): Judgement {
  const missed = lines.flatMap((line) => {
    const found = fault(line);
    return found === undefined ? [] : [`${line.text}: ${found}`];
  });
  return { queries: lines.length, missed };
}

function unless(isRight: boolean, fault = ""): string | undefined {
  return isRight ? undefined : fault;
}

function wrongHit(line: Line, { total, first }: Pick<Response, "total" | "first">): string | undefined {
  if (total === 0) return "nothing";
  return first.find((title) => !isExpected(line, title));
}

function isExpected({ expected }: Line, title: string): boolean {
  return expected.some((word) => title.toLowerCase().includes(word));
}
