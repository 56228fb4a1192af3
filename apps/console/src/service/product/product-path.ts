/** What the address of a product is made of; `source` is the marketplace of one that is not the catalog's. */
interface Addressed {
  _id: string;
  slug: string;
  source?: string;
}

/** The product's page here. The identifier is what the service finds it by; the slug is for people. */
export function productPath({ _id, slug, source }: Addressed): string {
  const id = new URLSearchParams({ id: _id });
  // The service itself has a page of its own at the slug of a marketplace product: the shop's, in the sample.
  return source === undefined ? `/products/${encodeURIComponent(slug)}?${id}` : `/product?${id}`;
}
