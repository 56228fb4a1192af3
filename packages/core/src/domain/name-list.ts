import { ApiError } from "../errors.ts";

/** The names of a list, in which `\,` is a comma and `\\` a backslash. */
export function readNameList(parameter: string, list: readonly string[]): string[] {
  const names = list.map((name) => unescaped(name).trim());
  if (!names.includes("")) return names;
  throw new ApiError(
    "invalid_request",
    `${parameter}: has an empty name. Write names separated by single commas, and a comma inside a name as \\,.`,
  );
}

/** The parts between separators that have no backslash before them. Backslashes stay. */
export function splitEscaped(text: string, separator: "," | ":"): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: part, index } of text.matchAll(/\\[\\,:]|[,:]/g)) {
    if (part !== separator) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return [...parts, text.slice(start)];
}

export function unescaped(name: string): string {
  return name.replaceAll(/\\([\\,:])/g, "$1");
}

/** A name as an entry of a list, where a backslash escapes. */
export function escapeName(name: string): string {
  return name.replaceAll("\\", "\\\\");
}

/** One spelling for all forms of a text, by the same table as the search. */
export { fold } from "@product-search/text-index/fold";
