import { maxKeptBytes, type NamedSearch } from "../../ports/insights.ts";

/** Also an address that has a space in it, or is not typed to its end. */
const addressSign = /@|[([{<]\s*at\s*[)\]}>]/u;
const notDigits = /\P{Nd}/gu;
/** Between two letters stand numbers with their separators, such as "+49 (171) 123-456". */
const betweenLetters = /\p{L}+/u;
/** Short telephone numbers have seven. */
const personalDigits = 7;

/** One spelling for counting: compatible characters, lower case, single spaces. */
export function normaliseQuery(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** What is kept of a normalised text. Nothing of one that looks personal, or is long. */
export function keptText(normalised: string): NamedSearch["text"] {
  if (normalised === "") return { kind: "none" };
  const isKept = Buffer.byteLength(normalised) <= maxKeptBytes && !looksPersonal(normalised);
  return isKept ? { kind: "kept", query: normalised } : { kind: "counted" };
}

/**
 * The sign of an e-mail address, or so many digits as a telephone number or a card number has. It rather drops "lamp @
 * home" and a part number than keeps an address or a telephone number.
 */
export function looksPersonal(normalised: string): boolean {
  return (
    addressSign.test(normalised) ||
    normalised
      .split(betweenLetters)
      .some((numbers) => [...numbers.replace(notDigits, "")].length >= personalDigits)
  );
}
