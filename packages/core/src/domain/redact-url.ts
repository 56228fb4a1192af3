/** A URL in a form that may be shown: URLs of feeds often contain a token or a password. */
export function redactUrl(address: string): string {
  const [, platform, shop] = /^([a-z]+:)(https?:.*)$/i.exec(address) ?? [];
  if (shop !== undefined) return `${platform}${redactUrl(shop).replace(/\/$/, "")}`;
  if (!URL.canParse(address)) return "an address that cannot be read";
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}
