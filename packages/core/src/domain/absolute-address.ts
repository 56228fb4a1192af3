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
