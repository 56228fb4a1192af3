export const availabilities = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;

/** The normalised value; words of feeds and marketplaces are converted to it. */
export type Availability = (typeof availabilities)[number];

const texts: Record<Availability, string> = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Available for preorder",
  backorder: "On backorder",
};

/** The human-readable text of marketplace products. */
export function availabilityText(availability: Availability): string {
  return texts[availability];
}
