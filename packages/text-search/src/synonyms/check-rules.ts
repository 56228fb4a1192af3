import {
  compileSynonyms,
  explainSynonyms,
  type Language,
  maxSynonymWords,
  parseSynonyms,
  queryTerms,
  type SynonymRule,
} from "@product-search/text-index";
import { compileRules, type Rules, rulesByLine } from "./effective-rules.ts";

/** Each thread compiles all rules after a change, so their number is limited. */
export const maxAddedRules = 2000;
/** A query looks up every synonym of its words. */
export const maxSynonyms = 50;
const maxCharacters = 100;
const maxTextLength = 1_000_000;

/** Reads rules, one per line. Throws if a line is not a rule, or if a rule would have no effect. */
export function readRules(text: string): Rules {
  if (text.length > maxTextLength) {
    const fault = `The rules have ${text.length} characters, and at most ${maxTextLength} are allowed.`;
    throw new Error(`${fault} Import fewer.`);
  }
  const rules = rulesByLine(parseSynonyms(text));
  for (const [line, rule] of rules) checkRule(line, rule);
  return rules;
}

function checkRule(line: string, rule: SynonymRule): void {
  const phrases = [...rule.from, ...rule.to];
  const long = phrases.find(isTooLong);
  if (long !== undefined) {
    const limit = `more than ${maxSynonymWords} words or ${maxCharacters} characters`;
    refuse(line, `"${excerpt(long)}" has ${limit}. Shorten it.`);
  }
  if (rule.from.length > maxSynonyms) {
    refuse(
      line,
      `it has ${rule.from.length} phrases, and at most ${maxSynonyms} are allowed. Write several rules.`,
    );
  }
  const own = compileSynonyms([rule]);
  if (rule.from.some((phrase) => explainSynonyms(own, phrase).length > 0)) return;
  refuse(
    line,
    "it has no effect, because one phrase contains the other. Write phrases with different words.",
  );
}

function isTooLong(phrase: string): boolean {
  return phrase.length > maxCharacters || queryTerms(phrase).length > maxSynonymWords;
}

/** Throws if the effective rules of a language give a phrase of the new ones too many synonyms. */
export function checkSynonymCount(effective: Rules, fresh: Rules, language: Language): void {
  const table = compileRules(effective, language);
  for (const [line, { from }] of fresh) {
    for (const { phrase, synonyms } of from.flatMap((text) =>
      explainSynonyms(table, text, language.termOf),
    )) {
      if (synonyms.length <= maxSynonyms) continue;
      const count = `"${phrase}" would have ${synonyms.length} synonyms, and at most ${maxSynonyms} are allowed.`;
      refuse(line, `${count} Remove some.`);
    }
  }
}

function refuse(line: string, fault: string): never {
  throw new Error(`The rule "${excerpt(line)}" was not added: ${fault}`);
}

export function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
