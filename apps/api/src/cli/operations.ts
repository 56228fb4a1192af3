import { webhookTypes } from "@product-search/core/domain/webhook-event.ts";
import { insightKinds } from "@product-search/core/ports/insights.ts";
import type { RuleDefinition } from "@product-search/core/ports/merchandising.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { ServiceTransactionStores } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { removeProducts } from "@product-search/features/catalog-write/remove-products.ts";
import { type InsightsQuery, searchInsights } from "@product-search/features/insights/search-insights.ts";
import { createRule, deleteRule, listRules } from "@product-search/features/merchandising/rules.ts";
import { addSynonyms, listSynonyms, removeSynonym } from "@product-search/features/merchandising/synonyms.ts";
import {
  listDeliveries,
  replayDelivery,
  toWebhook,
} from "@product-search/features/webhooks/manage-webhooks.ts";
import { testWebhook } from "@product-search/features/webhooks/test-webhook.ts";
import {
  createValidatorCompiler,
  type Validator,
  validationMessage,
} from "@product-search/http-rules/requests/read-request.ts";
import { operations } from "@product-search/spec/operations";
import type { Rule, SearchInsight, Webhook, WebhookDelivery } from "@product-search/types";
import { Argument, Command, Option } from "commander";
import {
  composeRuleTableOfCatalog,
  composeSynonymEditor,
  type ExplainingSynonymEditor,
} from "../compose/merchandising.ts";
import { composeExistingStores, composeStores, type Stores } from "../compose/stores/stores.ts";
import { composePortsOfWebhooks } from "../compose/webhooks.ts";
import { type Config, readEnvironment } from "../config.ts";
import { listenCommand, listenerAccount, ownListener } from "./listen-for-webhooks.ts";
import { type Column, formatTable, shortTime } from "./support/output.ts";
import { commandActor, printResult, readText, wholeNumber, withStores } from "./support/store-command.ts";

/** What the operations need. */
interface Ports extends Stores {
  config: Config;
  webhookHttp: OutboundHttp;
  synonymEditor: ExplainingSynonymEditor;
  /** In the name of whoever runs the command. */
  transact<Result>(work: (stores: ServiceTransactionStores) => Promise<Result>): Promise<Result>;
}

interface Options extends InsightsQuery {
  added?: boolean;
  removed?: boolean;
  cursor?: string;
  webhook?: string;
  json?: boolean;
}

interface Result {
  /** Printed with --json. */
  json: unknown;
  /** Printed without it. */
  text: string;
  /** Not on standard output, which may go to a file. */
  hint?: string | undefined;
  hasFailed?: boolean;
}

/** A command that repeats an operation of the API, or the parent of such commands. */
interface Entry {
  description: string;
  help?: string;
  arguments?: readonly Argument[];
  options?: readonly Option[];
  json?: string;
  /** Default: a missing store is an error. */
  createsStore?: boolean;
  run?(ports: Ports, options: Options, args: readonly string[]): Promise<Result>;
  subcommands?: Readonly<Record<string, Entry>>;
  others?: readonly Command[];
}

const entries = {
  insights: {
    description: "list what is searched for, what finds nothing, and what nobody clicks",
    options: [
      new Option("--kind <kind>", "what to list").choices(insightKinds).default("top"),
      new Option(
        "--from <time>",
        "beginning of the period, such as 2026-11-01; by default 30 days before its end",
      ),
      new Option("--to <time>", "end of the period; by default now"),
      limitOption("maximum number to list, up to 500", 500, 50),
    ],
    json: "print JSON, as the API's searchInsights",
    help: `
Searches are counted while the service runs with ANALYTICS_DAYS. docs/merchandising.md shows how to repair a search.

Examples:
  pnpm api insights
  pnpm api insights --kind noResults
  pnpm api insights --kind noClicks --from 2026-11-01 --json`,
    async run(ports, { json, ...query }) {
      const interval = json ? { interval: "day" as const } : {};
      const report = await searchInsights(ports, { ...query, ...interval }, new AbortController().signal);
      const { searches, noResults, clicks } = report.totals;
      const totals = `${searches} searches, ${noResults} without a result, ${clicks} clicks.`;
      const table = report.searches.length === 0 ? [] : [formatTable(report.searches, insightColumns)];
      return { json: report, text: [...table, totals].join("\n") };
    },
  },
  products: {
    description: "delete products",
    help: `
Examples:
  pnpm api products delete 5f2c1a9e0b7d4c3a8e6f1b20 marketplace-a_X-9`,
    subcommands: {
      delete: {
        description: "delete products from the store, the indexes and the image search",
        arguments: [new Argument("<ids...>", "_id of each product, as in responses")],
        help: `
A product is deleted with its price history. Webhooks with stock alerts get a last event in which it is out of stock,
unless it was out of stock before. The running service no longer finds it within a second. If a later import lists the
product, it is created again; a feed that was fetched before does not bring it back. The command exits with 1 if a product does not exist.`,
        async run(ports, _, ids) {
          const removed = await removeProducts(ports, ids);
          return {
            json: removed,
            text: removed.map(({ id, outcome }) => `${id} ${removeOutcomes[outcome]}`).join("\n"),
            hasFailed: removed.some(({ outcome }) => outcome === "absent"),
          };
        },
      },
    },
  },
  rules: {
    description: "list and change the rules of the catalog search",
    help: `
A rule pins products to places, hides products, raises or lowers some, searches for another text, or names a page to open. It
is written in JSON, as in the API's createRule; docs/merchandising.md shows each kind. A running service applies a change
within two seconds. There can be at most 1000 rules, which name at most 20,000 products and have at most 4 MB.

Examples:
  pnpm api rules list
  pnpm api rules add '{"name":"Boots first","when":{"query":"boots"},"pin":[{"productId":"p_1","position":1}]}'
  pnpm api rules import rules.json
  pnpm api rules test "winter boots"
  pnpm api rules remove rule_7Yd2kPq0sVxB3mNc`,
    subcommands: {
      list: {
        description: "list the rules in the order in which they apply",
        json: "print JSON, which `rules import` reads",
        run: async (ports) => listed(await listRules(ports)),
      },
      add: {
        description: "add a rule after the others",
        arguments: [new Argument("<rule>", "in JSON, in quotation marks")],
        createsStore: true,
        run: (ports, _, [text = ""]) => addRules(ports, text),
      },
      import: {
        description: "add the rules of a file: a JSON array, or one JSON object per line",
        arguments: [new Argument("<file>")],
        createsStore: true,
        run: async (ports, _, [file = ""]) => addRules(ports, await readText(file, "rules in JSON")),
      },
      remove: {
        description: "remove a rule",
        arguments: [new Argument("<id>", "as in `rules list`")],
        async run(ports, _, [id = ""]) {
          await deleteRule(ports, id);
          return { json: { removed: id }, text: `Removed: ${id}` };
        },
      },
      test: {
        description: "show the rules that would act on a search now",
        arguments: [new Argument("<query>")],
        async run(ports, _, [text = ""]) {
          const { rules } = await ports.ruleStore.read();
          const table = await composeRuleTableOfCatalog(ports.config, ports, rules);
          const acting = table.find({ text, categories: [] }, ports.clock.now());
          return listed((await listRules(ports)).filter(({ id }) => acting.some((rule) => rule.id === id)));
        },
      },
    },
  },
  synonyms: {
    description: "list and change the synonyms of text search",
    help: `
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
    subcommands: {
      list: {
        description: "list the rules that apply",
        options: [
          new Option("--added", "only added rules"),
          new Option("--removed", "only included rules that were removed"),
        ],
        async run(ports, { added, removed }) {
          const shown = { included: !added && !removed, added: added || !removed, removed };
          const rules = (await listSynonyms(ports)).filter(({ origin }) => shown[origin]);
          const text = rules.map(({ rule }) => rule).join("\n");
          return { json: rules, text, hint: rules.length === 0 ? "No rules." : undefined };
        },
      },
      add: {
        description: "add rules",
        arguments: [new Argument("<rules...>", "each in quotation marks")],
        createsStore: true,
        run: (ports, _, rules) => addSynonymRules(ports, rules.join("\n")),
      },
      import: {
        description: "add the rules of a file, one per line; empty lines and text after # are ignored",
        arguments: [new Argument("<file>")],
        createsStore: true,
        run: async (ports, _, [file = ""]) =>
          addSynonymRules(ports, await readText(file, "one rule per line")),
      },
      remove: {
        description: "remove a rule, an included or an added one",
        arguments: [
          new Argument("<rule>", "as in `synonyms list`; the order of the phrases does not matter"),
        ],
        createsStore: true,
        async run(ports, _, [rule = ""]) {
          const removed = await removeSynonym(ports, rule);
          return { json: { removed }, text: `Removed: ${removed}` };
        },
      },
      test: {
        description: "show the synonyms of a query; a search uses those that the catalog has",
        arguments: [new Argument("<query>")],
        async run({ synonymEditor }, _, [query = ""]) {
          const phrases = await synonymEditor.explain(query);
          const lines = phrases.map(({ phrase, synonyms }) => `${phrase}: ${synonyms.join(", ")}`);
          return { json: phrases, text: lines.join("\n") || "No synonyms." };
        },
      },
    },
  },
  webhooks: {
    description: "list webhooks and deliveries, replay deliveries, and receive them for testing",
    help: `
Examples:
  pnpm api webhooks list
  pnpm api webhooks deliveries wh_5kPz1cX2mQ8rT4vN --limit 10
  pnpm api webhooks replay wh_5kPz1cX2mQ8rT4vN dl_7Hn3bY6wK9sD2fJq
  WEBHOOK_KEY=whsec_… pnpm api webhooks listen --port 4500
  pnpm api webhooks listen --forward-to http://localhost:8080/hook
  pnpm api webhooks trigger price.alert`,
    subcommands: {
      list: {
        description: "list the webhooks of all accounts, newest first",
        async run({ webhookStore }) {
          const webhooks = (await webhookStore.list()).map(toWebhook);
          const none = "No webhooks yet. POST /webhooks creates one.";
          return {
            json: webhooks,
            text: webhooks.length === 0 ? none : formatTable(webhooks, webhookColumns),
          };
        },
      },
      deliveries: {
        description: "list the deliveries of a webhook, newest first",
        arguments: [new Argument("<webhook-id>", "identifier from `webhooks list`")],
        options: [
          limitOption("maximum number to list, at most 200", 200, 20),
          new Option("--cursor <text>", "nextCursor of the previous page"),
        ],
        async run(ports, options, [id = ""]) {
          const page = await listDeliveries(ports, await ownedBy(ports.webhookStore, id), options);
          const { deliveries, nextCursor } = page;
          const shown = deliveries.length === 0 ? "No deliveries." : formatTable(deliveries, deliveryColumns);
          return { json: page, text: nextCursor ? `${shown}\nNext page: --cursor ${nextCursor}` : shown };
        },
      },
      replay: {
        description: "send a delivery again; the running service sends it within a second",
        arguments: [
          new Argument("<webhook-id>"),
          new Argument("<delivery-id>", "identifier from `webhooks deliveries`"),
        ],
        async run(ports, _, [webhookId = "", deliveryId = ""]) {
          const owned = await ownedBy(ports.webhookStore, webhookId);
          const delivery = await replayDelivery(ports, owned, deliveryId);
          return { json: delivery, text: `Queued as ${delivery.id}.` };
        },
      },
      trigger: {
        description: "send a sample event to the webhooks of `webhooks listen --forward-to`",
        arguments: [new Argument("<type>", "type of the event").choices(webhookTypes)],
        options: [new Option("--webhook <id>", "send it to this webhook instead")],
        async run(ports, { webhook }, [type = ""]) {
          const targets = webhook
            ? [await ownedBy(ports.webhookStore, webhook)]
            : await listeners(ports, type);
          if (targets.length === 0)
            throw new Error(
              `No \`webhooks listen --forward-to URL --type ${type}\` runs. Start one, or name a webhook with --webhook.`,
            );
          const queued: WebhookDelivery[] = [];
          const deps = { ...ports, ...ports.config, ...(!webhook && { webhookHttp: ownListener }) };
          for (const target of targets) queued.push(await testWebhook(deps, target));
          const line = ({ id }: WebhookDelivery, i: number) =>
            `Queued as ${id} for ${targets[i]?.webhookId}.`;
          return { json: queued, text: queued.map(line).join("\n") };
        },
      },
    },
    others: [listenCommand],
  },
} satisfies Record<string, Entry>;

export type OperationCommand = keyof typeof entries;

export function operationCommand(name: OperationCommand): Command {
  return toCommand(name, entries[name]);
}

function toCommand(name: string, entry: Entry): Command {
  const { description, help, options = [], json = "print JSON", run, subcommands = {}, others = [] } = entry;
  const command = new Command(name).description(description);
  for (const argument of entry.arguments ?? []) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  if (help !== undefined) command.addHelpText("after", help);
  for (const [child, of] of Object.entries(subcommands)) command.addCommand(toCommand(child, of));
  for (const other of others) command.addCommand(other);
  if (run === undefined) return command;
  return command.option("--json", json).action(async () => {
    const given = command.opts<Options>();
    const open = entry.createsStore ? composeStores : composeExistingStores;
    const result = await withPorts((ports) => run(ports, given, command.args), open);
    printResult(given, result.json, result.text);
    if (result.hint !== undefined && !given.json) console.error(result.hint);
    if (result.hasFailed) process.exitCode = 1;
  });
}

function withPorts<Result>(
  use: (ports: Ports) => Promise<Result>,
  open: typeof composeExistingStores,
): Promise<Result> {
  return withStores(async (stores) => {
    const config = readEnvironment();
    const { webhookHttp } = composePortsOfWebhooks(config, stores);
    try {
      return await use({
        ...stores,
        config,
        webhookHttp,
        synonymEditor: composeSynonymEditor(config, stores),
        transact: (work) => stores.unitOfWork.transact(commandActor(), work),
      });
    } finally {
      await webhookHttp.close();
    }
  }, open);
}

function limitOption(description: string, max: number, usual: number): Option {
  return new Option("--limit <number>", description).argParser(wholeNumber(1, max)).default(usual);
}

const insightColumns: Column<SearchInsight>[] = [
  { title: "QUERY", value: ({ query }) => query },
  { title: "SEARCHES", value: ({ searches }) => searches },
  { title: "RESULTS", value: ({ results }) => results },
  { title: "CLICKS", value: ({ clicks }) => clicks },
  { title: "CLICK RATE", value: ({ clickRate }) => clickRate },
  { title: "POSITION", value: ({ averagePosition }) => averagePosition },
];

const webhookColumns: Column<Webhook>[] = [
  { title: "ID", value: ({ id }) => id, isWhole: true },
  { title: "TYPE", value: ({ webhookType }) => webhookType },
  { title: "TARGET", value: ({ webhookUrl }) => webhookUrl },
  { title: "STATE", value: ({ disabledReason }) => disabledReason ?? "enabled" },
];

const deliveryColumns: Column<WebhookDelivery>[] = [
  { title: "ID", value: ({ id }) => id, isWhole: true },
  { title: "STATUS", value: ({ status }) => status },
  { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt) },
  { title: "TRIES", value: ({ attempts }) => attempts.length },
  {
    title: "LAST RESULT",
    value: ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.responseStatus?.toString(),
  },
];

const removeOutcomes = {
  removed: "was deleted.",
  absent: "does not exist. Write the _id from a response, which is not always the id of the feed.",
} as const;

/** Operators may manage the webhooks of all accounts. */
async function ownedBy(webhookStore: WebhookStore, webhookId: string): Promise<WebhookReference> {
  const webhook = (await webhookStore.list()).find(({ id }) => id === webhookId);
  if (webhook === undefined)
    throw new Error(`No webhook has the identifier "${webhookId}". \`pnpm api webhooks list\` lists them.`);
  return { accountId: webhook.accountId, webhookId };
}

async function listeners({ transact, webhookStore }: Ports, type: string): Promise<WebhookReference[]> {
  const { id: accountId } = await transact(({ accountStore }) => accountStore.ensureAccount(listenerAccount));
  const webhooks = await webhookStore.list(accountId);
  return webhooks.filter((one) => one.type === type).map(({ id }) => ({ accountId, webhookId: id }));
}

async function addSynonymRules(ports: Ports, text: string): Promise<Result> {
  const { added } = await addSynonyms(ports, text);
  const lines = added.map((rule) => `Added: ${rule}`).join("\n");
  return { json: { added }, text: lines || "Nothing was added: all these rules apply already." };
}

async function addRules(ports: Ports, text: string): Promise<Result> {
  const added: Rule[] = [];
  for (const definition of readRules(text)) added.push(await createRule(ports, definition));
  return { json: { added }, text: added.map((rule) => `Added: ${describe(rule)}`).join("\n") };
}

function listed(rules: readonly Rule[]): Result {
  return { json: rules, text: rules.map(describe).join("\n") || "No rules." };
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
