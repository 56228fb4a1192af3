import type { Rule, RuleBoost, RulePin, RuleRequest } from "@product-search/client";
import { attributesByName, writeAttributeFilter } from "../search/catalog-address.ts";

/** A rule as the form holds it: every member is there, also one that is empty. */
export interface RuleDraft {
  name: string;
  enabled: boolean;
  query: string;
  match: "is" | "contains";
  categories: readonly string[];
  pin: readonly RulePin[];
  hide: readonly string[];
  boost: readonly BoostDraft[];
  replaceQuery: string;
  redirectUrl: string;
  /** Times as a `datetime-local` field has them, in the time zone of the browser. */
  from: string;
  until: string;
}

export interface BoostDraft {
  brands: readonly string[];
  categories: readonly string[];
  /** As filters: `color:Black`. */
  attributes: readonly string[];
  productIds: readonly string[];
  factor: number;
}

export const emptyDraft: RuleDraft = {
  name: "",
  enabled: true,
  query: "",
  match: "is",
  categories: [],
  pin: [],
  hide: [],
  boost: [],
  replaceQuery: "",
  redirectUrl: "",
  from: "",
  until: "",
};

export function toDraft(rule: RuleRequest): RuleDraft {
  return {
    name: rule.name,
    enabled: rule.enabled ?? true,
    query: rule.when.query ?? "",
    match: rule.when.match ?? "is",
    categories: rule.when.categories ?? [],
    pin: rule.pin ?? [],
    hide: rule.hide ?? [],
    boost: (rule.boost ?? []).map(toBoostDraft),
    replaceQuery: rule.replaceQuery ?? "",
    redirectUrl: rule.redirectUrl ?? "",
    from: toLocalTime(rule.from),
    until: toLocalTime(rule.until),
  };
}

/** What is sent. A rule without a name is called after its search text or its category. */
export function toRequest(draft: RuleDraft): RuleRequest {
  const [query, replaceQuery, redirectUrl] = [draft.query, draft.replaceQuery, draft.redirectUrl].map(
    (text) => text.trim(),
  );
  const categories = [...draft.categories];
  const boost = draft.boost.filter(hasTarget).map(toBoost);
  return {
    name: draft.name.trim() || (query || (categories[0] ?? "Rule")).slice(0, 200),
    enabled: draft.enabled,
    when: {
      ...(query && { query, match: draft.match }),
      ...(categories.length > 0 && { categories }),
    },
    ...(draft.pin.length > 0 && { pin: draft.pin.toSorted((one, other) => one.position - other.position) }),
    ...(draft.hide.length > 0 && { hide: [...draft.hide] }),
    ...(boost.length > 0 && { boost }),
    ...(replaceQuery && { replaceQuery }),
    ...(redirectUrl && { redirectUrl }),
    ...(draft.from && { from: new Date(draft.from).toISOString() }),
    ...(draft.until && { until: new Date(draft.until).toISOString() }),
  };
}

/** The members that a request has; the service adds the others. */
export function definitionOf({
  id: _id,
  createdAt: _created,
  updatedAt: _updated,
  ...rule
}: Rule): RuleRequest {
  return rule;
}

export function hasCondition(draft: RuleDraft): boolean {
  return draft.query.trim() !== "" || draft.categories.length > 0;
}

/** With the product on this position; one that was pinned there comes after it. */
export function withPin(
  draft: RuleDraft,
  productId: string,
  position: number,
): Pick<RuleDraft, "pin" | "hide"> {
  const others = draft.pin.filter((one) => one.productId !== productId);
  return {
    pin: [
      ...others.map((one) => (one.position === position ? { ...one, position: position + 1 } : one)),
      { productId, position },
    ],
    hide: draft.hide.filter((id) => id !== productId),
  };
}

export function withHidden(draft: RuleDraft, productId: string): Pick<RuleDraft, "pin" | "hide"> {
  return {
    hide: [...draft.hide.filter((id) => id !== productId), productId],
    pin: draft.pin.filter((one) => one.productId !== productId),
  };
}

function toBoostDraft({
  brands = [],
  categories = [],
  productIds = [],
  factor,
  ...rest
}: RuleBoost): BoostDraft {
  const attributes = Object.entries(rest.attributes ?? {}).flatMap(([name, values]) =>
    values.map((value) => writeAttributeFilter(name, value)),
  );
  return { brands, categories, attributes, productIds, factor };
}

function toBoost({ brands, categories, attributes, productIds, factor }: BoostDraft): RuleBoost {
  return {
    ...(brands.length > 0 && { brands: [...brands] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(attributes.length > 0 && { attributes: attributesByName(attributes) }),
    ...(productIds.length > 0 && { productIds: [...productIds] }),
    factor,
  };
}

function hasTarget({ brands, categories, attributes, productIds }: BoostDraft): boolean {
  return brands.length + categories.length + attributes.length + productIds.length > 0;
}

/** Seconds stay where a program has set some. */
function toLocalTime(time: string | undefined): string {
  if (time === undefined) return "";
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return date.getUTCSeconds() === 0 ? local.slice(0, 16) : local.slice(0, 19);
}
