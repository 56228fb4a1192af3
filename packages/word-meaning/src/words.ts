/** Words that say nothing about what is wanted. */
export const functionWords = wordSet(`
  a about after all also am an and any anything are around as at be been before being best but by can cheap cheapest could did do
  does doing done during each etc every everything few find for from get gets getting give go goes going good got great had has
  have having he help her here hers him his how i if in inside into is it items its just keep keeps keeping kind kinds know let like
  likes look looking lot lots make makes making many may me might more most much must my need needed needs new nice no not of off on
  one ones only or other our out outside over own perfect please product products put recommend really she shop should show so some
  somebody someone something somewhere sort still stuff such suggest suitable than that the their them then there these they thing
  things this those through to too top under until up us use used useful using very want wanted wants was way we were what when
  where which while who whose why will with without would you your
`);

/** Words of presents, in the singular where both are meant: what follows says for whom, not what. */
const giftWords = wordSet(`
  accessory addict anniversary article birthday brother buff christmas colleague dad daughter enthusiast equipment essentials fan
  fanatic father friend gear geek gift girlfriend boyfriend grandma grandpa husband idea lover mom mother mum nephew niece nerd
  owner parent partner player present sister son souvenir stuff supplies surprise uncle aunt wife xmas
`);

export function isGiftWord(word: string): boolean {
  return formsOf(word).some((form) => giftWords.has(form));
}

/** The words that say what is wanted. */
export function contentWords(text: string): string[] {
  return wordsOf(text).filter((word) => !functionWords.has(word) && !isGiftWord(word));
}

const accents = /[\u0300-\u036f]/g;

/** The words of a text in lower case, without accents and possessives. Numbers are left out. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize("NFKD").replace(accents, "").toLowerCase();
  return folded.replace(/['’]s\b/g, "").match(/[a-z]+/g) ?? [];
}

/** The word, then forms that it may be a plural or another form of; the likeliest first. */
export function formsOf(word: string): readonly string[] {
  const forms = [word];
  for (const [ending, base] of endings)
    if (word.endsWith(ending) && word.length - ending.length >= 2)
      forms.push(word.slice(0, word.length - ending.length) + base);
  return forms;
}

const endings = [
  ["ies", "y"],
  ["ves", "f"],
  ["ves", "fe"],
  ["es", ""],
  ["s", ""],
] as const;

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ""));
}
