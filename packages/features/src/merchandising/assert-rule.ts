import { maxAttributeNameLength } from "@product-search/core/domain/attributes.ts";
import { ApiError } from "@product-search/core/errors.ts";
import {
  namedProducts,
  type RuleDefinition,
  type RuleTotals,
} from "@product-search/core/ports/rule-store.ts";

const maxProductsOfRule = 2000;
const maxTotals: RuleTotals = { rules: 1000, productIds: 20_000, bytes: 4 * 1024 * 1024 };

/** Refuses what would make all rules together too large. */
export function assertTotals({ rules, productIds, bytes }: RuleTotals): void {
  if (rules > maxTotals.rules)
    limitReached(
      `There are ${maxTotals.rules} rules, which is the maximum. Delete one that you no longer need.`,
    );
  if (productIds > maxTotals.productIds)
    limitReached(
      `pin, hide and boost: with this rule, the rules would name ${productIds} products, and at most ${maxTotals.productIds} are allowed. Name fewer, or delete a rule.`,
    );
  if (bytes > maxTotals.bytes)
    limitReached(
      `rule: with this one, the rules would have ${bytes} bytes, and at most ${maxTotals.bytes} are allowed. Make it shorter, or delete another.`,
    );
}

/** Refuses what the schema of a rule cannot express. */
export function assertRule(rule: RuleDefinition): void {
  const { when, pin = [], boost = [], redirectUrl, from, until } = rule;
  const products = namedProducts(rule);
  if (products > maxProductsOfRule)
    limitReached(
      `pin, hide and boost: name ${products} products, and a rule can name at most ${maxProductsOfRule}. Name fewer, or make two rules.`,
    );
  if (when.query !== undefined && !/[\p{L}\p{N}]/u.test(when.query))
    refuse("when.query: has no letter and no digit, so that no search fits it. Write a word.");
  if (when.query === undefined && when.categories === undefined) assertForEverySearch(rule);
  const twice = pin.findIndex(({ productId }, at) =>
    pin.slice(0, at).some((other) => other.productId === productId),
  );
  if (twice >= 0) refuse(`pin[${twice}].productId: is pinned twice. Pin a product to one position.`);
  const empty = boost.findIndex(
    (one) => (one.brands ?? one.categories ?? one.attributes ?? one.productIds) === undefined,
  );
  if (empty >= 0)
    refuse(
      `boost[${empty}]: names no products. Send brands, categories, attributes, productIds or several of them.`,
    );
  boost.forEach(({ attributes = {} }, at) => {
    const wrong = Object.keys(attributes).find(
      (name) => name.trim() === "" || name.length > maxAttributeNameLength,
    );
    if (wrong === undefined) return;
    const fault = wrong.trim() === "" ? "has an empty name" : `has a name of ${wrong.length} characters`;
    refuse(`boost[${at}].attributes: ${fault}. Send names of 1 to ${maxAttributeNameLength} characters.`);
  });
  if (redirectUrl !== undefined && !isPage(redirectUrl))
    refuse("redirectUrl: is not an http or https URL. Write a whole one, such as https://shop.example/sale.");
  const [fromMs, untilMs] = [timeOf("from", from), timeOf("until", until)];
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs)
    refuse("until: is before from. Send a later time, or leave one of them out.");
}

function assertForEverySearch({ when, pin, replaceQuery, redirectUrl }: RuleDefinition): void {
  // `is` is the default.
  if (when.match === "contains") refuse("when.match: needs when.query. Send a query, or leave match out.");
  const action = Object.entries({ pin, replaceQuery, redirectUrl }).find(([, value]) => value !== undefined);
  if (action !== undefined)
    refuse(
      `when: has neither query nor categories, so that the rule acts on every search, but such a rule can only boost and hide. Send one of them, or leave ${action[0]} out.`,
    );
}

function isPage(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs))
    refuse(`${field}: is not a time. Write it in ISO 8601, such as 2026-11-27T00:00:00Z.`);
  return timeMs;
}

function limitReached(message: string): never {
  throw new ApiError("rule_limit_reached", message);
}

function refuse(message: string): never {
  throw new ApiError("invalid_request", message);
}
