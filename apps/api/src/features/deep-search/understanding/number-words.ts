const small: Record<string, number> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fourty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const scales: Record<string, number> = { hundred: 100, thousand: 1000, grand: 1000 };

const unit = Object.keys(small).join("|");
const scale = Object.keys(scales).join("|");
/** A run of number words: "two hundred and fifty", "twenty-five", "a thousand", "four point five". */
const run = new RegExp(
  `\\b(?:(?:a|${unit})[\\s-]+(?:${scale})|(?:${unit}))` +
    `(?:(?:[\\s-]+and)?[\\s-]+(?:${unit}|${scale}))*(?:\\s+point\\s+(?:${unit}))?\\b`,
  "g",
);

/** "under two hundred and fifty" → "under 250". A lone "one" stays: it is mostly a pronoun. */
export function replaceNumberWords(text: string): string {
  return text.replace(run, (words) => (words === "one" ? words : readRun(words)));
}

function readRun(words: string): string {
  const [whole = "", fraction] = words.split(/\s+point\s+/);
  let total = 0;
  let current = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const word of whole.split(/[\s-]+/)) {
    const factor = scales[word];
    const value = small[word] ?? (word === "a" ? 1 : undefined);
    if (factor === 100) current = (current || 1) * factor;
    else if (factor !== undefined) {
      total += (current || 1) * factor;
      current = 0;
    } else if (value !== undefined) {
      // "five six" is not a number: two units in a row stay apart, as "5 6".
      if (current % 100 !== 0 && !(previous >= 20 && value < 10)) return `${total + current} ${value}`;
      current += value;
      previous = value;
    }
  }
  const digits = fraction === undefined ? "" : `.${small[fraction] ?? 0}`;
  return `${total + current}${digits}`;
}
