/** URLs of the service's own pages and images are stored as paths, so that its base URL may change. */
export function absoluteAddress(address: string, publicUrl: string): string {
  return address.startsWith("/") ? publicUrl + address : address;
}

/** A link from a feed may have any scheme, also one that runs a script, and characters that no URL has. */
export function webAddress(address: string, publicUrl: string): string | undefined {
  const absolute = absoluteAddress(address, publicUrl);
  return /^https?:\/\//i.test(absolute) && URL.canParse(absolute) ? new URL(absolute).href : undefined;
}

/** The page of a product on this service, by its slug. */
export function productPageUrl({ slug }: { slug: string }, publicUrl: string): string {
  return `${publicUrl}/products/${encodeURIComponent(slug.toWellFormed())}`;
}

/**
 * The URL as it is sent: its host in punycode, other non-ASCII letters percent-encoded. A plain URL does not change.
 */
export function asciiUrl(text: string): string {
  return isAscii(text) ? text : (URL.parse(text)?.href ?? text);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** Control characters, line separators and lone surrogates: no URL has them, but URL parsers accept them. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The URL without control characters: as a URL parser reads it, which removes or percent-encodes them. Other URLs do not
 * change. With `base`, the URL may be a path below it. Undefined if it is not a URL of that kind.
 */
export function printableUrl(text: string, base?: string): string | undefined {
  const url = URL.parse(text, base);
  if (url === null) return undefined;
  if (base !== undefined && url.origin !== new URL(base).origin) return undefined;
  if (!unprintable.test(text)) return text;
  return base === undefined ? url.href : url.pathname + url.search + url.hash;
}
