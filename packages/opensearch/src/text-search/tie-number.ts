/** In the order of their code points. */
const characters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** 0 is the end of a text. */
const base = characters.length + 1;
const length = 8;
const codes = Uint8Array.from({ length: 128 }, (_, point) => {
  const character = String.fromCharCode(point);
  return [...characters].filter((one) => one <= character).length;
});

/**
 * A whole number with the order of the identifiers of products, as far as their source and the next eight characters tell
 * them apart: OpenSearch sorts by numbers at a fraction of what texts cost. Identifiers of marketplaces are
 * `<marketplace>_<item code>`, and those of the catalog come first.
 */
export function tieNumber(id: string): number {
  const at = id.indexOf("_") + 1;
  const rank = at === 0 ? 0 : id.startsWith("marketplace-a_") ? 1 : 2;
  let number = rank;
  for (let i = 0; i < length; i++) {
    const point = id.charCodeAt(at + i);
    number = number * base + (Number.isNaN(point) ? 0 : (codes[Math.min(point, 127)] ?? 0));
  }
  return number;
}
