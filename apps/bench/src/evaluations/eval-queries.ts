import { parseArgs } from "node:util";
import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "@product-search/text-index";
import { readTitles } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import sampleQueries from "../queries/sample-queries.json" with { type: "json" };
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
    const first = ids.map((id) => `${byId.get(id)?.name} (${byId.get(id)?.category})`);
    const corrected = words.filter(({ as }) => as === "corrected");
    return { total, first, corrected: corrected.map(({ word, used }) => `${word} as ${used.join(" ")}`) };
  };
}

const help = `Usage: pnpm eval queries [--data FOLDER] [--products N] [--json]

Asks hand-written queries of the sample catalog (5000 products) and, with a folder in the WANDS layout, of its titles:
things that are absent, which must find nothing; things that are there, also under other names, of which the first
five must be what was asked for; and misspelt ones. Words without a slip must not be taken for others.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      products: { type: "string", default: "5000" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const sample = searchDocuments([...sampleDocuments(wholeNumber("--products", values.products))]);
  const reports = [
    { catalog: "sample", report: judgeQueries(sampleQueries, sample) },
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

export function judgeQueries(list: QueryList, search: (text: string) => Response): QueryReport {
  const absent = linesOf(list.absent);
  const present = linesOf(list.present);
  return {
    absent: judge(absent, ({ text }) => unless(search(text).total === 0, search(text).first[0])),
    present: judge(present, ({ text }) => unless(search(text).total > 0, "nothing")),
    right: judge(present, (line) => wrongHit(line, search(line.text))),
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

function wrongHit({ expected }: Line, { total, first }: Response): string | undefined {
  if (total === 0) return "nothing";
  return first.find((text) => !expected.some((word) => text.toLowerCase().includes(word)));
}
