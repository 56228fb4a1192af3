import { maxAttributeNameLength } from "@product-search/core/domain/attributes.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { RuleDefinition } from "@product-search/core/ports/rule-store.ts";

/** Refuses what the schema of a rule cannot express. */
export function assertRule({ when, pin = [], boost = [], redirectUrl, from, until }: RuleDefinition): void {
  if (when.query !== undefined && !/[\p{L}\p{N}]/u.test(when.query))
    refuse("when.query: has no letter and no digit, so that no search fits it. Write a word.");
  if (when.query === undefined && when.categories === undefined)
    refuse("when: has neither query nor categories. Send at least one of them.");
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

function refuse(message: string): never {
  throw new ApiError("invalid_request", message);
}
