/** An address as it may be shown: feeds often have a token or a password in theirs. */
export function redactUrl(address: string): string {
  if (!URL.canParse(address)) return "an address that cannot be read";
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}
