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
