/** How numbers are written: 1,000 and 2,5 and .5 and 1/2. */
export const numberPattern = "\\p{N}+(?:[.,]\\p{N}+)*(?:/\\p{N}+)*|\\.\\p{N}+";

export const apostrophe = 39;
const comma = 44;
export const point = 46;
const slash = 47;

/** Whether it is one of the letters that folded ASCII text has. */
export function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The end of the number that begins at a position of an ASCII text: the same as of the pattern. */
export function endOfNumber(text: string, start: number): number {
  if (text.charCodeAt(start) === point) return endOfDigits(text, start + 1);
  let end = endOfDigits(text, start);
  for (const isJoining of [isDecimalMark, isSlash])
    while (isJoining(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
      end = endOfDigits(text, end + 1);
  return end;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDecimalMark(code: number): boolean {
  return code === point || code === comma;
}

function isSlash(code: number): boolean {
  return code === slash;
}

// The denominators that rulers, drills and pipes have. Others, such as the 3 of a 12/3 cable, are separate numbers.
const denominators: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64]);
const fraction = /^(\p{N}+)\/(\p{N}+)$/u;

/** The indexed form of a number: "1,000" is 1000, "2,5" and "2.50" are 2.5, "1/2" stays. "12/3" is two numbers. */
export function normalNumbers(text: string): readonly string[] {
  if (!text.includes("/")) return [normalDecimal(text)];
  return fractionValue(text) === undefined ? text.split("/").map(normalDecimal) : [text];
}

const onlyDigits = /^[0-9]+$/;

function normalDecimal(text: string): string {
  if (onlyDigits.test(text)) return text;
  const plain = text.replaceAll(/,(?=\p{N}{3}(?:\P{N}|$))/gu, "").replaceAll(",", ".");
  const padded = plain.startsWith(".") ? `0${plain}` : plain;
  return padded.split(".").length === 2 ? padded.replace(/\.?0+$/, "") || "0" : padded;
}

/** The value of a fraction, if measures use it. */
export function fractionValue(text: string): number | undefined {
  if (!text.includes("/")) return undefined;
  const [, above = "", below = ""] = fraction.exec(text) ?? [];
  const [numerator, denominator] = [Number(above), Number(below)];
  const isFraction = denominators.has(denominator) && numerator > 0 && numerator < denominator;
  return isFraction ? numerator / denominator : undefined;
}

/** At most four decimals, without zeros at the end: a third and 0.3333 are the same. */
export function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
