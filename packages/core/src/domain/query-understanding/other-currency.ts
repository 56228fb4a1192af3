import { alternation, letter } from "./alternation.ts";
import currencies from "./words/currencies.json" with { type: "json" };

interface Named {
  codes: readonly string[];
  beside: RegExp;
}

/** Each currency as it is written next to an amount. */
const named: readonly Named[] = currencies.map(({ codes, signs, names }) => {
  const words = alternation([...codes.map((code) => code.toLowerCase()), ...names, ...signs]);
  return {
    codes,
    beside: new RegExp(`${words} ?\\d|\\d ?${words.replaceAll(`(?<!${letter})`, "(?<![a-z])")}`, "i"),
  };
});

/** Whether a text has an amount in a currency other than that of the prices. A dollar sign matches any dollar. */
export function namesOtherCurrency(text: string, currency: string): boolean {
  const said = named.filter(({ beside }) => beside.test(text));
  return said.length > 0 && said.every(({ codes }) => !codes.includes(currency));
}
