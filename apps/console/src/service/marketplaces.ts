import { type Client, writtenSourceValues } from "@product-search/client";

/** Those of the interface. */
export const [, ...marketplaces] = writtenSourceValues;
export type Marketplace = (typeof marketplaces)[number];

export function isMarketplace(text: string): text is Marketplace {
  return marketplaces.some((one) => one === text);
}

/** `A`, as in the names of the client's methods. */
export function letterOf(marketplace: Marketplace): string {
  return marketplace.slice("marketplace-".length).toUpperCase();
}

export function marketplaceName(marketplace: Marketplace): string {
  return `Marketplace ${letterOf(marketplace)}`;
}

type MarketplaceSearch = keyof Client & `searchMarketplace${string}`;

/** The client's method for a search there. */
export function searchOf(client: Client, marketplace: Marketplace): MarketplaceSearch {
  const method = `searchMarketplace${letterOf(marketplace)}`;
  if (isSearch(client, method)) return method;
  throw new Error(`The client has no ${method}.`);
}

function isSearch(client: Client, method: string): method is MarketplaceSearch {
  return Object.hasOwn(client, method);
}
