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

/** A URL in a form that may be shown: URLs of feeds often contain a token or a password. */
export function redactUrl(address: string): string {
  const [, platform, shop] = /^([a-z]+:)(https?:.*)$/i.exec(address) ?? [];
  if (shop !== undefined) return `${platform}${redactUrl(shop).replace(/\/$/, "")}`;
  if (!URL.canParse(address)) return "an address that cannot be read";
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/** Platforms whose shops list their products in public, without keys. */
export const shopPlatforms = ["shopify", "woocommerce"] as const;
export type ShopPlatform = (typeof shopPlatforms)[number];

/** A shop whose products are read from its platform. */
export interface ShopAddress {
  platform: ShopPlatform;
  /** Without a slash at the end. A shop of WooCommerce may be in a folder. */
  url: string;
}

const form = /^(shopify|woocommerce):(.*)$/is;

export function isShopAddress(text: string): boolean {
  return form.test(text);
}

/** Of `shopify:https://shop.example`; or what is wrong with it. */
export function parseShopAddress(text: string): ShopAddress | { fault: string } {
  const [, named = "", written = ""] = form.exec(text) ?? [];
  const platform = shopPlatforms.find((one) => one === named.toLowerCase());
  const url = URL.parse(written);
  if (platform === undefined || url === null || !/^https?:$/.test(url.protocol))
    return { fault: `${named || "a shop"} needs the shop's address, as in shopify:https://shop.example` };
  if (url.username !== "" || url.password !== "")
    return {
      fault: `the address of a shop has no user name and no password, as in ${platform}:https://shop.example`,
    };
  const hasFolder = url.pathname !== "/";
  if (url.search !== "" || url.hash !== "" || (platform === "shopify" && hasFolder))
    return {
      fault: `the address of a shop has nothing behind its host, as in ${platform}:https://shop.example`,
    };
  return { platform, url: `${url.origin}${url.pathname}`.replace(/\/+$/, "") };
}
