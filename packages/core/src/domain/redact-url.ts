/** A URL in a form that may be shown: URLs of feeds often contain a token or a password. */
export function redactUrl(address: string): string {
  if (!URL.canParse(address)) return "an address that cannot be read";
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}
