import {
  addSynonyms,
  type ChangeSynonymsDeps,
  removeSynonym,
} from "@product-search/features/merchandising/synonyms.ts";
import { Command } from "commander";
import { composeExistingStores, composeStores } from "../compose/stores/stores.ts";
import { composeSynonymEditor, type ExplainingSynonymEditor } from "../compose/synonyms.ts";
import { readEnvironment } from "../config.ts";
import { commandActor, printResult, readText, withStores } from "./support/store-command.ts";

interface Output {
  json?: boolean;
}

export const command = new Command("synonyms")
  .description("list and change the synonyms of text search")
  .addHelpText(
    "after",
    `
A rule is one line. With "couch, sofa" each word also finds the other; with "plimsolls => sneakers" only the first
also finds the second. About 450 rules of everyday shopping English are included, and some for each of the other LANGUAGES; they can be
removed and added again. Added rules apply in every language.

A running service applies a change within two seconds. At most 2000 rules can be added, with phrases of at most
6 words and 100 characters; a phrase can have at most 50 synonyms.

Examples:
  pnpm api synonyms list --added
  pnpm api synonyms add "chesterfield, tufted sofa"
  pnpm api synonyms add "plimsolls => sneakers"
  pnpm api synonyms remove "couch, settee, sofa"
  pnpm api synonyms import synonyms.txt
  pnpm api synonyms test "red couch"
  pnpm api synonyms list > synonyms.txt`,
  );

command
  .command("list")
  .description("list the rules that apply")
  .option("--added", "only added rules")
  .option("--removed", "only included rules that were removed")
  .option("--json", "print JSON")
  .action(async (options: Output & { added?: boolean; removed?: boolean }) => {
    const listed = await withEditor(composeExistingStores, ({ synonymEditor }) => synonymEditor.list());
    const wanted = [
      ...(options.added ? ["added"] : []),
      ...(options.removed ? ["removed"] : []),
      ...(options.added || options.removed ? [] : ["included", "added"]),
    ];
    const rules = listed.filter(({ origin }) => wanted.includes(origin));
    printResult(options, rules, rules.map(({ rule }) => rule).join("\n"));
    // Not on standard output, which may go to a file of rules.
    if (rules.length === 0 && !options.json) console.error("No rules.");
  });

command
  .command("add")
  .description("add rules")
  .argument("<rules...>", "each in quotation marks")
  .option("--json", "print JSON")
  .action((rules: string[], options: Output) => add(rules.join("\n"), options));

command
  .command("import")
  .description("add the rules of a file, one per line; empty lines and text after # are ignored")
  .argument("<file>")
  .option("--json", "print JSON")
  .action(async (file: string, options: Output) => add(await readText(file, "one rule per line"), options));

command
  .command("remove")
  .description("remove a rule, an included or an added one")
  .argument("<rule>", "as in `synonyms list`; the order of the phrases does not matter")
  .option("--json", "print JSON")
  .action(async (rule: string, options: Output) => {
    const removed = await withEditor(composeStores, (deps) => removeSynonym(deps, rule));
    printResult(options, { removed }, `Removed: ${removed}`);
  });

command
  .command("test")
  .description("show the synonyms of a query; a search uses those that the catalog has")
  .argument("<query>")
  .option("--json", "print JSON")
  .action(async (query: string, options: Output) => {
    const phrases = await withEditor(composeExistingStores, ({ synonymEditor }) =>
      synonymEditor.explain(query),
    );
    const lines = phrases.map(({ phrase, synonyms }) => `${phrase}: ${synonyms.join(", ")}`);
    printResult(options, phrases, lines.join("\n") || "No synonyms.");
  });

async function add(text: string, options: Output): Promise<void> {
  const { added } = await withEditor(composeStores, (deps) => addSynonyms(deps, text));
  const lines = added.map((rule) => `Added: ${rule}`).join("\n");
  printResult(options, { added }, lines || "Nothing was added: all these rules apply already.");
}

type EditorDeps = ChangeSynonymsDeps & { synonymEditor: ExplainingSynonymEditor };

function withEditor<Result>(
  open: typeof composeExistingStores,
  use: (deps: EditorDeps) => Promise<Result>,
): Promise<Result> {
  return withStores(
    (stores) =>
      use({
        synonymEditor: composeSynonymEditor(readEnvironment(), stores),
        transact: (work) => stores.unitOfWork.transact(commandActor(), work),
      }),
    open,
  );
}
