import type { RuleDefinition } from "@product-search/core/ports/rule-store.ts";
import { createValidatorCompiler, type Validator } from "@product-search/http-rules/requests/read-request.ts";
import { validationMessage } from "@product-search/http-rules/requests/validation-message.ts";
import { operations } from "@product-search/spec/operations";

/**
 * The rules of a text: a JSON array, one object, or an object per line. They are checked by the schema of the API. What
 * `rules list --json` prints can be read again: what the service adds to a rule is left out.
 */
export function readRules(text: string): RuleDefinition[] {
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
