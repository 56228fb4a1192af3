/** Chooses one of several wordings. The choice is always the same for the same request. */
export type Choose = <Item>(...wordings: [Item, ...Item[]]) => Item;

export function createChoice(seed: string): Choose {
  // FNV-1a for the first choice, then one step of a linear congruential generator for each further choice.
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (...wordings) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return wordings[(state >>> 16) % wordings.length] ?? wordings[0];
  };
}

/** "a, b and c". */
export function inWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}
