import rows from "./shopper-requests.json" with { type: "json" };

/** A request in a shopper's words, and the expected answer over the sample catalog. */
export interface ShopperRequest {
  request: string;
  /** Earlier requests of the same conversation, oldest first. */
  history?: readonly string[];
  /** Text that every product's name must have. Without it, nothing may be found. */
  kinds?: RegExp;
  /** Text that no product's name may have. */
  not?: RegExp;
  /** Text that the first product's name must have. */
  first?: RegExp;
  min?: number;
  max?: number;
  minRating?: number;
  /** "price asc", "price desc" or "rating desc". */
  order?: string;
  /** Text that must be in the answer, and in the description of the search. */
  says?: RegExp;
  reads?: RegExp;
}

const texts = ["kinds", "not", "first", "says", "reads"] as const;
type Row = Omit<ShopperRequest, (typeof texts)[number]> & Partial<Record<(typeof texts)[number], string>>;

/** The rows of a JSON file, in which regular expressions are their sources. */
export function readShopperRequests(list: readonly Row[]): ShopperRequest[] {
  return list.map(({ kinds, not, first, says, reads, ...row }) => ({
    ...row,
    ...Object.fromEntries(
      Object.entries({ kinds, not, first, says, reads }).flatMap(([name, source]) =>
        source === undefined ? [] : [[name, new RegExp(source, "u")]],
      ),
    ),
  }));
}

/** The examples of the documents, and requests whose answers a reader called wrong or wanting. */
export const shopperRequests: readonly ShopperRequest[] = readShopperRequests(rows);
