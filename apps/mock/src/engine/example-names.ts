/** What the parameters and bodies of the document's examples name: identifiers, cursors, and the brand that is searched for. */
export function exampleNames(document: object): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { in: place, name, example } = Object(node);
    if (place === "path" || name === "imageId" || name === "cursor") names.add(example);
    if (typeof Object(example).query === "string") names.add(Object(example).query);
    for (const value of Object.values(node)) visit(value);
  };
  visit(document);
  return names;
}
