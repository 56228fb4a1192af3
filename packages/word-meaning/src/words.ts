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

/** A file of named sections of numbers: eight letters, the length of the header, the header in JSON, then the sections. */
interface Header {
  readonly sections: ReadonlyArray<{ readonly name: string; readonly bytes: number }>;
}

interface NumbersType<Numbers> {
  new (buffer: SharedArrayBuffer, start: number, length: number): Numbers;
  readonly BYTES_PER_ELEMENT: number;
}

export interface SectionFile {
  /** A view: nothing is copied. */
  read<Numbers>(type: NumbersType<Numbers>, name: string): Numbers;
}

/** Opens what lies in `buffer` from `offset` on. `remedy` is for who finds another format there. */
export function openSections(
  buffer: SharedArrayBuffer,
  { magic, offset = 0, remedy }: { magic: string; offset?: number; remedy: string },
): SectionFile {
  const textOf = (start: number, end: number) =>
    Buffer.from(buffer, offset + start, end - start).toString("latin1");
  if (textOf(0, magic.length) !== magic) throw new Error(`The file of words has another format. ${remedy}`);
  const headerStart = magic.length + 4;
  const headerEnd = headerStart + new DataView(buffer).getUint32(offset + magic.length, true);
  const { sections }: Header = JSON.parse(textOf(headerStart, headerEnd));
  const places = new Map<string, { readonly start: number; readonly bytes: number }>();
  let end = headerEnd;
  for (const { name, bytes } of sections) {
    const start = Math.ceil(end / 4) * 4;
    places.set(name, { start: offset + start, bytes });
    end = start + bytes;
  }
  return {
    read(type, name) {
      const place = places.get(name);
      if (place === undefined) throw new Error(`The file of words lacks its section "${name}". ${remedy}`);
      return new type(buffer, place.start, place.bytes / type.BYTES_PER_ELEMENT);
    },
  };
}

/** The place of a text in a sorted list of texts; −1 if it is not there. Compares bytes, so nothing is decoded. */
export function findText(starts: Uint32Array, bytes: Uint8Array, text: string): number {
  let low = 0;
  let high = starts.length - 2;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareAt(bytes, starts[middle] ?? 0, starts[middle + 1] ?? 0, text);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The texts are ASCII: a byte is a character. */
function compareAt(bytes: Uint8Array, start: number, end: number, text: string): number {
  const length = Math.min(end - start, text.length);
  for (let at = 0; at < length; at++) {
    const difference = (bytes[start + at] ?? 0) - text.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return end - start - text.length;
}
