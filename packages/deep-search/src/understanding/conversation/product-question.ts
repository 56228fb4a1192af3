/** What a question asks about a product: one of its data fields, or whether its texts contain something. */
export type Asked =
  | "price"
  | "rating"
  | "brand"
  | "store"
  | "availability"
  | "colour"
  | "material"
  | "size"
  | "weight"
  | "duration"
  | "everything"
  | { words: readonly string[] };

/** A question about one product. `subject` may be "it" or "the second one". */
export interface AskedQuestion {
  subject: string;
  /** Undefined if the subject ends with the property in question: "the red kettle waterproof". */
  topic: Asked | undefined;
  /** The wording can only mean one product, so no other result is an answer. */
  isCertain: boolean;
  /** "It", "the second one": not a name, but a product of the last answer. */
  isPronoun: boolean;
}

interface QuestionForm {
  pattern: RegExp;
  /** Taken from the first group of the pattern, or the same for all matches. */
  topic: Asked | ((word: string) => Asked | undefined) | undefined;
}

const adjectives: Readonly<Record<string, Asked>> = {
  much: "price",
  expensive: "price",
  cheap: "price",
  big: "size",
  large: "size",
  long: "size",
  wide: "size",
  tall: "size",
  high: "size",
  deep: "size",
  small: "size",
  thick: "size",
  heavy: "weight",
  light: "weight",
  good: "rating",
};
const nouns: Readonly<Record<string, Asked>> = {
  price: "price",
  cost: "price",
  rating: "rating",
  brand: "brand",
  maker: "brand",
  store: "store",
  shop: "store",
  seller: "store",
  availability: "availability",
  colour: "colour",
  color: "colour",
  material: "material",
  size: "size",
  dimensions: "size",
  dimension: "size",
  capacity: "size",
  volume: "size",
  length: "size",
  width: "size",
  height: "size",
  weight: "weight",
};
const anyAdjective = Object.keys(adjectives).join("|");
const anyNoun = Object.keys(nouns).join("|");

const forms: readonly QuestionForm[] = [
  { pattern: /^how long (?:does|do|will) (?:the|its|their) battery last(?<subject>)$/u, topic: "duration" },
  {
    pattern: new RegExp(`^what(?:'s| is| are)? (?:the|its|their) (?<said>${anyNoun})s?(?<subject>)$`, "u"),
    topic: (word) => nouns[word],
  },
  {
    pattern: /^how long (?:does|do|will) (?:the )?battery (?:of )?(?:the )?(?<subject>.*?) last\b/u,
    topic: "duration",
  },
  {
    pattern: /^how long (?:does|do|will) (?<subject>.+?)(?:'s)? (?:battery )?(?:last|run|hold)\b/u,
    topic: "duration",
  },
  {
    pattern: new RegExp(
      `^how (?<said>${anyAdjective}) (?:is|are|does|do|was|will) (?<subject>.+?)(?: (?:cost|be|weigh))?$`,
      "u",
    ),
    topic: (word) => adjectives[word],
  },
  { pattern: /^how much (?:does|do) (?<subject>.+?) weigh\b/u, topic: "weight" },
  { pattern: /^how many people like (?<subject>.+)$/u, topic: "rating" },
  { pattern: /^(?:what(?:'s| is| are) )?(?<subject>.+?) made (?:of|from|out of)$/u, topic: "material" },
  {
    pattern: new RegExp(
      `^what(?:'s| is| are)? (?:the |its |their )?(?<said>${anyNoun})s? (?:of|for|is|are|has|does) (?<subject>.+?)(?: (?:have|has|come in))?$`,
      "u",
    ),
    topic: (word) => nouns[word],
  },
  {
    pattern: new RegExp(`^what(?:'s| is| are) (?<subject>its|their) (?<said>${anyNoun})s?$`, "u"),
    topic: (word) => nouns[word],
  },
  { pattern: /^who (?:makes|made|produces) (?<subject>.+)$/u, topic: "brand" },
  { pattern: /^(?:who sells|which (?:shop|store) (?:sells|has)) (?<subject>.+)$/u, topic: "store" },
  {
    pattern: /^(?:is|are) (?<subject>.+?) (?:still |currently )?(?:in stock|available)(?: now)?$/u,
    topic: "availability",
  },
  {
    pattern:
      /^(?:please )?(?:tell me|what can you tell me|what do you know) (?:more |something )?about (?<subject>.+)$/u,
    topic: "everything",
  },
  {
    pattern: /^(?:more )?(?:details|information|info) (?:of|on|about|for) (?<subject>.+)$/u,
    topic: "everything",
  },
];

const yesOrNo =
  /^(?:so |and |but )?(?:is|are|does|do|did|can|could|has|have|will|would|was|were) (?<subject>.+)$/u;
/** A question with this beginning searches for products, for the user or in general. */
const otherSubjects = /^(?:there|you|we|i|anyone|anybody|someone|one of you|your|any|some|all|these days)\b/u;
const pronoun =
  /^(?:it(?! (?:rain|snow|be|possible|true|ok|okay|raining|snowing|going|cold|hot|late|better|worth|time|legal|safe to)\b)|its|they|them|their|this|that|these|those|(?:this|that|the [\p{L}\d]+|the [\p{L}\d]+ [\p{L}\d]+) ones?)\b/u;
const leads =
  /^(?:so|and|but|ok|okay|hey|hi|also|then|please|do you know|i wonder|i'd like to know|can you tell me)\b[ ,]*/u;

/** Reads a question that may be about one product. The catalog decides later whether the product exists. */
export function readQuestion(request: string): AskedQuestion | undefined {
  const text = request
    .replace(leads, "")
    .replace(leads, "")
    .replace(/[\s,]+$/u, "");
  for (const { pattern, topic: asked } of forms) {
    const { subject, said = "" } = pattern.exec(text)?.groups ?? {};
    if (subject === undefined || otherSubjects.test(subject)) continue;
    return {
      subject: subject === "" ? "it" : subject,
      topic: typeof asked === "function" ? asked(said) : asked,
      isCertain: isOneProduct(subject),
      isPronoun: pronoun.test(subject),
    };
  }
  const subject = yesOrNo.exec(text)?.groups?.subject;
  if (subject === undefined || otherSubjects.test(subject)) return undefined;
  return { subject, topic: undefined, isCertain: isOneProduct(subject), isPronoun: pronoun.test(subject) };
}

function isOneProduct(subject: string): boolean {
  return pronoun.test(subject) || /^the\b/u.test(subject);
}
