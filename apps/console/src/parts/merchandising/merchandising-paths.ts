/** The addresses of the screen Merchandising, also of a rule or a synonym that is begun on another screen. */
export const rulesPath = "/merchandising";
export const synonymsPath = `${rulesPath}?tab=synonyms`;

export function rulePath(id: string): string {
  return `${rulesPath}?${new URLSearchParams({ rule: id })}`;
}

export function newRulePath(query = ""): string {
  return `${rulesPath}?${new URLSearchParams({ rule: "new", ...(query !== "" && { query }) })}`;
}

/** What people search for is to find what the shop calls otherwise. */
export function newSynonymPath(query: string): string {
  return `${rulesPath}?${new URLSearchParams({ tab: "synonyms", add: `${query} => ` })}`;
}
