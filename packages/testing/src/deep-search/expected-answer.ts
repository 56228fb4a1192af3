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
  /** Cheapest first, most expensive first, best rated first. */
  order?: "price asc" | "price desc" | "rating desc";
  /** Text that must be in the answer, and in the description of the search. */
  says?: RegExp;
  reads?: RegExp;
}

type Expected = Omit<ShopperRequest, "request">;
export const row = (request: string, expected: Expected = {}): ShopperRequest => ({ request, ...expected });

export const shoes = /Shoes|Boots|Sneakers|Sandals/;
export const bags = /Bag|Backpack|Duffel/;
export const mugs = /Mug|Cup/;
export const hats = /Hat|Beanie/;
export const lamps = /Lamp|Light/;
export const jackets = /Jacket/;
export const kettles = /Kettle|Teapot/;
export const seats = /Chair|Armchair|Stool|Sofa/;
export const watches = /Watch|Smartwatch/;
export const absent = /^I found no “|does not have|^„[^“]+“ habe ich [^.]* nicht gefunden/;

export const after = (
  history: readonly string[],
  request: string,
  expected: Expected = {},
): ShopperRequest => ({
  request,
  history,
  ...expected,
});
