import type { RuleDefinition } from "@product-search/core/ports/rule-store.ts";
import { createRule, deleteRule, listRules } from "@product-search/features/merchandising/rules.ts";
import { createValidatorCompiler, type Validator } from "@product-search/http-rules/requests/read-request.ts";
import { validationMessage } from "@product-search/http-rules/requests/validation-message.ts";
import { operations } from "@product-search/spec/operations";
import type { Rule } from "@product-search/types";
import { Command } from "commander";
import { composeRuleTableOfCatalog } from "../compose/rules.ts";
import { composeStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { commandActor, printResult, readText, withStores } from "./support/store-command.ts";

interface Output {
  json?: boolean;
}

export const command = new Command("rules")
  .description("list and change the rules of the catalog search")
  .addHelpText(
    "after",
    `
A rule pins products to places, hides products, raises or lowers some, searches for another text, or names a page to open. It
is written in JSON, as in the API's createRule; docs/merchandising.md shows each kind. A running service applies a change
within two seconds. There can be at most 1000 rules, which name at most 20,000 products and have at most 4 MB.

Examples:
  pnpm api rules list
  pnpm api rules add '{"name":"Boots first","when":{"query":"boots"},"pin":[{"productId":"p_1","position":1}]}'
  pnpm api rules import rules.json
  pnpm api rules test "winter boots"
  pnpm api rules remove rule_7Yd2kPq0sVxB3mNc`,
  );

command
  .command("list")
  .description("list the rules in the order in which they apply")
  .option("--json", "print JSON, which `rules import` reads")
  .action(async (options: Output) => {
    const rules = await withStores((stores) => listRules(stores));
    printResult(options, rules, rules.map(describe).join("\n") || "No rules.");
  });

command
  .command("add")
  .description("add a rule after the others")
  .argument("<rule>", "in JSON, in quotation marks")
  .option("--json", "print JSON")
  .action((text: string, options: Output) => add(readRules(text), options));

command
  .command("import")
  .description("add the rules of a file: a JSON array, or one JSON object per line")
  .argument("<file>")
  .option("--json", "print JSON")
  .action(async (file: string, options: Output) =>
    add(readRules(await readText(file, "rules in JSON")), options),
  );

command
  .command("remove")
  .description("remove a rule")
  .argument("<id>", "as in `rules list`")
  .option("--json", "print JSON")
  .action(async (id: string, options: Output) => {
    await withStores(({ unitOfWork }) =>
      deleteRule({ transact: (work) => unitOfWork.transact(commandActor(), work) }, id),
    );
    printResult(options, { removed: id }, `Removed: ${id}`);
  });

command
  .command("test")
  .description("show the rules that would act on a search now")
  .argument("<query>")
  .option("--json", "print JSON")
  .action(async (text: string, options: Output) => {
    const rules = await withStores(async (stores) => {
      const stored = await stores.ruleStore.read();
      const table = await composeRuleTableOfCatalog(readEnvironment(), stores, stored.rules);
      const found = table.find({ text, categories: [] }, stores.clock.now());
      return (await listRules(stores)).filter(({ id }) => found.some((rule) => rule.id === id));
    });
    printResult(options, rules, rules.map(describe).join("\n") || "No rules.");
  });

async function add(definitions: readonly RuleDefinition[], options: Output): Promise<void> {
  const rules = await withStores(async ({ unitOfWork }) => {
    const added: Rule[] = [];
    for (const definition of definitions)
      added.push(
        await createRule({ transact: (work) => unitOfWork.transact(commandActor(), work) }, definition),
      );
    return added;
  }, composeStores);
  printResult(options, { added: rules }, rules.map((rule) => `Added: ${describe(rule)}`).join("\n"));
}

function describe({ id, name, enabled, when }: Rule): string {
  const query = when.query === undefined ? [] : [`${when.match ?? "is"} "${when.query}"`];
  const categories = when.categories === undefined ? [] : [`in ${when.categories.join(" or ")}`];
  const condition = [...query, ...categories].join(" ") || "every search";
  return `${id}  ${name}  (${condition}${enabled ? "" : ", off"})`;
}

/**
 * The rules of a text: a JSON array, one object, or an object per line. They are checked by the schema of the API. What
 * `rules list --json` prints can be read again: what the service adds to a rule is left out.
 */
function readRules(text: string): RuleDefinition[] {
  const validate = createValidatorCompiler()({ schema: operations.createRule.schemas.body });
  return parse(text).map((given, place) => {
    const rule: unknown = typeof given === "object" && given !== null ? withoutAdditions(given) : given;
    if (isRule(rule, validate)) return rule;
    throw new Error(`Rule ${place + 1}: ${validationMessage(validate.errors ?? [], "body")}`);
  });
}

function isRule(value: unknown, validate: Validator): value is RuleDefinition {
  return validate(value);
}

function parse(text: string): unknown[] {
  const given = parseJson(text);
  if (given !== undefined) return Array.isArray(given) ? given : [given];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    const value = parseJson(line);
    if (value !== undefined) return value;
    throw new Error(`Line ${i + 1} is not JSON. Write a JSON array of rules, or one JSON object per line.`);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutAdditions(rule: object): object {
  const added = ["id", "createdAt", "updatedAt"];
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !added.includes(name)));
}
