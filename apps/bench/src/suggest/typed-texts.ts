import { createRandom, type Random } from "@product-search/sample-catalog";
import { sampleDocument } from "../text/sample-documents.ts";

const slipShare = 0.15;

/** The texts that users have typed after each letter: parts of names, some with a typing error. Seeded; no text twice. */
export function typedTexts(people: number, products: number, seed: number): string[] {
  const random = createRandom(seed);
  const texts = new Set<string>();
  for (let i = 0; i < people; i++) {
    const wanted = wantedBy(random, products);
    for (let length = 1; length <= wanted.length; length++) texts.add(wanted.slice(0, length));
  }
  return [...texts];
}

/** One to three adjacent words of a name. */
function wantedBy(random: Random, products: number): string {
  const { fields } = sampleDocument(random.integer(0, products - 1));
  const words = fields.name.toLowerCase().match(/\p{L}+/gu) ?? ["shoes"];
  const start = random.integer(0, words.length - 1);
  const text = words.slice(start, start + random.integer(1, 3)).join(" ");
  return random.chance(slipShare) ? withSlip(random, text) : text;
}

/** Two letters swapped, or one missing. */
function withSlip(random: Random, text: string): string {
  if (text.length < 5) return text;
  const at = random.integer(1, text.length - 3);
  const rest = text.slice(at + 2);
  return random.chance(0.5)
    ? `${text.slice(0, at)}${text[at + 1]}${text[at]}${rest}`
    : `${text.slice(0, at)}${text[at + 1]}${rest}`;
}
