/** An option that cannot be used. The message says what to write. */
export class OptionError extends Error {}

/** The value of an option. */
export function wholeNumber(name: string, text: string, least = 1, most = 2 ** 31): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new OptionError(`${name} ${text}: write a whole number from ${least} to ${most}.`);
}
