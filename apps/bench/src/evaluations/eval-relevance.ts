import { parseArgs } from "node:util";
import { evaluateRelevance } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { OptionError, wholeNumber } from "../support/whole-number.ts";
import { round } from "../text/figures.ts";

export const help = `Usage: pnpm eval relevance --data FOLDER [--labels N] [--json]

Ranks the judged queries of a folder in the WANDS layout (product.csv, query.csv and label.csv, tab separated; labels
Exact 1, Partial 0.5, Irrelevant 0) with the text index and, in the same run, with SQLite FTS5.
The text index gives its matches first, then products that have only some of the words.
NDCG@10 has linear gains and takes products without a label for irrelevant; recall is that of the first 100.
Only queries with at least N labels count (5), one of them above 0.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      labels: { type: "string", default: "5" },
      json: { type: "boolean" },
    },
  });
  if (values.data === undefined) throw new OptionError("--data: write the folder of the judged queries.");
  const reports = evaluateRelevance(values.data, wholeNumber("--labels", values.labels), serviceLanguage).map(
    ({ engine, judgement }) => ({
      engine,
      queries: judgement.queries,
      ndcgAt10: round(judgement.ndcgAt10, 4),
      recallAt100: round(judgement.recallAt100, 4),
      withoutResult: round(judgement.withoutResult, 4),
    }),
  );
  if (values.json) console.log(JSON.stringify(reports));
  else console.table(reports);
}
