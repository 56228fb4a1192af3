import { parseArgs } from "node:util";
import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "@product-search/text-index";
import { readTitles } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { judgeQueries, type QueryReport, type Response } from "../queries/judge-queries.ts";
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
    const { ids, total, words } = index.search({ text, offset: 0, limit: judged });
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
