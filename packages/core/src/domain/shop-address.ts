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
