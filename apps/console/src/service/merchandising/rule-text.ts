import type { Rule, RuleBoost, RuleRequest } from "@product-search/client";
import { attributeTitle } from "../search/catalog-address.ts";

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function formatTime(time: string): string {
  return dateAndTime.format(Date.parse(time));
}

/** When a rule applies, in one line. */
export function conditionText({ when: { query, match, categories = [] } }: RuleRequest): string {
  const text = query === undefined ? "" : `${match === "contains" ? "contains " : ""}“${query}”`;
  const parts = [text, categories.length > 0 ? `in ${categories.join(", ")}` : ""].filter(Boolean);
  return parts.join(" · ") || "every search";
}

/** What a rule does, one short text for each kind of action. */
export function actionTexts(rule: RuleRequest): string[] {
  const { pin = [], hide = [], boost = [], replaceQuery, redirectUrl } = rule;
  return [
    pin.length > 0 ? `${pin.length} pinned` : "",
    hide.length > 0 ? `${hide.length} hidden` : "",
    ...boost.map(boostText),
    replaceQuery === undefined ? "" : `searches for “${replaceQuery}”`,
    redirectUrl === undefined ? "" : `opens ${redirectUrl}`,
  ].filter(Boolean);
}

function boostText({
  brands = [],
  categories = [],
  attributes = {},
  productIds = [],
  factor,
}: RuleBoost): string {
  const values = Object.entries(attributes).map(
    ([name, list]) => `${attributeTitle(name)}: ${list.join(", ")}`,
  );
  const products =
    productIds.length === 0 ? [] : [productIds.length === 1 ? "1 product" : `${productIds.length} products`];
  return `${[...brands, ...categories, ...values, ...products].join(", ")} ×${factor}`;
}

export type RuleState = "on" | "off" | "later" | "over";

export function stateOf(
  { enabled, from, until }: Pick<Rule, "enabled" | "from" | "until">,
  nowMs: number,
): RuleState {
  if (!enabled) return "off";
  if (until !== undefined && Date.parse(until) <= nowMs) return "over";
  return from !== undefined && Date.parse(from) > nowMs ? "later" : "on";
}

export interface RuleDifference {
  member: string;
  before: string;
  after: string;
}

/** The members in which two versions of a rule differ, as texts to compare. */
export function differencesOf(
  before: RuleRequest | undefined,
  after: RuleRequest | undefined,
  nameOf = (productId: string) => productId,
): RuleDifference[] {
  const [old, fresh] = [memberTexts(before, nameOf), memberTexts(after, nameOf)];
  return Object.entries(fresh).flatMap(([member, text]) =>
    text === old[member] ? [] : [{ member, before: old[member] ?? "", after: text }],
  );
}

const members = [
  ...[
    "Name",
    "Enabled",
    "Applies to",
    "Pinned",
    "Hidden",
    "Boosted",
    "Searches for",
    "Opens",
    "From",
    "Until",
  ],
] as const;

function memberTexts(
  rule: RuleRequest | undefined,
  nameOf: (productId: string) => string,
): Record<string, string> {
  if (!rule) return Object.fromEntries(members.map((member) => [member, ""]));
  const { pin = [], hide = [], boost = [] } = rule;
  return {
    Name: rule.name,
    Enabled: (rule.enabled ?? true) ? "yes" : "no",
    "Applies to": conditionText(rule),
    Pinned: pin.map(({ productId, position }) => `${position}: ${nameOf(productId)}`).join(", "),
    Hidden: hide.map(nameOf).join(", "),
    Boosted: boost.map(boostText).join("; "),
    "Searches for": rule.replaceQuery ?? "",
    Opens: rule.redirectUrl ?? "",
    From: rule.from === undefined ? "" : formatTime(rule.from),
    Until: rule.until === undefined ? "" : formatTime(rule.until),
  };
}
