const groups = ["kettle", "lantern", "drum", "bracket", "pillow"] as const;
export const groupWords: readonly string[] = groups;

/** Letters only, and none that a stemmer could take for an ending. */
const letters = "bcdfghjklmnpqrtvwxz";

export function keyOf(number: number): string {
  return `r${number}`;
}

/** A word that only this product has. */
export function wordOf(number: number): string {
  let word = "";
  for (let rest = number; word.length < 5; rest = Math.floor(rest / letters.length)) {
    word += letters[rest % letters.length];
  }
  return `q${word}`;
}

export function groupOf(number: number): string {
  return groups[number % groups.length] ?? groups[0];
}

/** A line of the feed, in the native format. */
export function feedLine(number: number, price: number): string {
  return JSON.stringify({
    _id: keyOf(number),
    name: `Rehearsed ${groupOf(number)} ${wordOf(number)}`,
    brand: "Ferrolux",
    storeName: "Rehearsal",
    description: "",
    url: `https://shop.example/${keyOf(number)}`,
    images: [],
    price,
    availability: "in_stock",
  });
}
