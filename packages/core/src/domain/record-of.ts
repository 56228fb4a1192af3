/** One value for each key of a list. */
export function recordOf<Key extends string, Value>(
  keys: readonly Key[],
  valueFor: (key: Key, place: number) => Value,
): Record<Key, Value> {
  const record: { [Name in Key]?: Value } = {};
  for (const [place, key] of keys.entries()) record[key] = valueFor(key, place);
  if (isComplete(record, keys)) return record;
  throw new Error("Not reached: each key was set.");
}

function isComplete<Key extends string, Value>(
  record: { [Name in Key]?: Value },
  keys: readonly Key[],
): record is Record<Key, Value> {
  return keys.every((key) => Object.hasOwn(record, key));
}
