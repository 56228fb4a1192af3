/** How numbers are written: 1,000 and 2,5 and .5 and 1/2. Sticky, on folded text. */
export const asciiNumber = /\d+(?:[.,]\d+)*(?:\/\d+)*|\.\d+/y;
/** The same in any script. */
export const numberPattern = "\\p{N}+(?:[.,]\\p{N}+)*(?:/\\p{N}+)*|\\.\\p{N}+";

// The denominators that rulers, drills and pipes have. Others, such as the 3 of a 12/3 cable, are separate numbers.
const denominators: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64]);
const fraction = /^(\p{N}+)\/(\p{N}+)$/u;

/** The indexed form of a number: "1,000" is 1000, "2,5" and "2.50" are 2.5, "1/2" stays. "12/3" is two numbers. */
export function normalNumbers(text: string): readonly string[] {
  if (!text.includes("/")) return [normalDecimal(text)];
  return fractionValue(text) === undefined ? text.split("/").map(normalDecimal) : [text];
}

function normalDecimal(text: string): string {
  const plain = text.replaceAll(/,(?=\p{N}{3}(?:\P{N}|$))/gu, "").replaceAll(",", ".");
  const padded = plain.startsWith(".") ? `0${plain}` : plain;
  return padded.split(".").length === 2 ? padded.replace(/\.?0+$/, "") || "0" : padded;
}

/** The value of a fraction, if measures use it. */
export function fractionValue(text: string): number | undefined {
  const [, above = "", below = ""] = fraction.exec(text) ?? [];
  const [numerator, denominator] = [Number(above), Number(below)];
  const isFraction = denominators.has(denominator) && numerator > 0 && numerator < denominator;
  return isFraction ? numerator / denominator : undefined;
}

/** At most four decimals, without zeros at the end: a third and 0.3333 are the same. */
export function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
