import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { composeStores } from "../compose/stores.ts";
import { composeSynonymEditor } from "../compose/synonyms.ts";
import { readConfig } from "../config.ts";

type SynonymEditor = ReturnType<typeof composeSynonymEditor>;

export const command = new Command("synonyms")
  .description("list and change the words that stand for others in text search")
  .addHelpText(
    "after",
    `
A rule is one line: "couch, sofa" finds either by both, "sneakers => running shoes" finds the second by the first only.
450 rules of everyday shopping English are shipped. A running service takes up changes within two seconds.

Examples:
  pnpm api synonyms list --added
  pnpm api synonyms add "chesterfield, tufted sofa"
  pnpm api synonyms add "sneakers => running shoes"
  pnpm api synonyms remove "couch, settee, sofa"
  pnpm api synonyms import synonyms.txt
  pnpm api synonyms test "red couch"`,
  );

command
  .command("list")
  .description("list the rules in force")
  .option("--added", "only those that were added")
  .option("--json", "print JSON")
  .action(async (options: { added?: boolean; json?: boolean }) => {
    await withEditor(async (editor) => {
      const all = await editor.list();
      const rules = options.added ? all.filter(({ isShipped }) => !isShipped) : all;
      if (options.json) console.log(JSON.stringify(rules));
      else console.log(rules.map(({ rule }) => rule).join("\n") || "No rules.");
    });
  });

command
  .command("add")
  .description("add one rule or several")
  .argument("<rules...>", "each in quotation marks")
  .option("--json", "print JSON")
  .action(async (rules: string[], options: { json?: boolean }) => {
    await withEditor((editor) => add(editor, rules.join("\n"), options));
  });

command
  .command("import")
  .description("add the rules of a file, one on a line; empty lines and what follows # are skipped")
  .argument("<file>")
  .option("--json", "print JSON")
  .action(async (file: string, options: { json?: boolean }) => {
    const text = await readFile(file, "utf8");
    await withEditor((editor) => add(editor, text, options));
  });

command
  .command("remove")
  .description("take a rule away, a shipped one or one that was added")
  .argument("<rule>", "as `synonyms list` shows it")
  .action(async (rule: string) => {
    await withEditor(async (editor) => {
      if (!(await editor.remove(rule)))
        throw new Error(`No rule "${rule}" is in force. \`pnpm api synonyms list\` shows them.`);
      console.log(`Removed "${rule}".`);
    });
  });

command
  .command("test")
  .description("show which phrases of a query have synonyms, and which")
  .argument("<query>")
  .option("--json", "print JSON")
  .action(async (query: string, options: { json?: boolean }) => {
    await withEditor(async (editor) => {
      const phrases = await editor.explain(query);
      if (options.json) console.log(JSON.stringify(phrases));
      else if (phrases.length === 0) console.log("No word of it has synonyms.");
      for (const { phrase, alsoFinds } of options.json ? [] : phrases)
        console.log(`${phrase}: also ${alsoFinds.join(", ")}`);
    });
  });

async function add(editor: SynonymEditor, text: string, { json }: { json?: boolean }): Promise<void> {
  const added = await editor.add(text);
  if (json) console.log(JSON.stringify({ added }));
  else console.log(added.length === 0 ? "They are all in force already." : `Added:\n${added.join("\n")}`);
}

async function withEditor(use: (editor: SynonymEditor) => Promise<void>): Promise<void> {
  const stores = await composeStores(readConfig(process.env));
  try {
    await use(composeSynonymEditor(stores));
  } finally {
    await stores.close();
  }
}
