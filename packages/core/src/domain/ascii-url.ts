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
