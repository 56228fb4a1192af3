const separators = /[\s-]/g;
const numberOfProduct = /^\d{8,14}$/;
const onlyZeros = /^0+$/;

/**
 * A Global Trade Item Number (EAN, UPC, ISBN-13) in its form of 14 digits: shorter ones have leading zeros in it, so
 * that all forms of a number are equal. Undefined for anything else. The check digit is not checked: a shopper who
 * types the number that a feed has, right or wrong, means that product.
 */
export function parseGtin(text: string): string | undefined {
  const digits = text.replace(separators, "");
  return numberOfProduct.test(digits) && !onlyZeros.test(digits) ? digits.padStart(14, "0") : undefined;
}
