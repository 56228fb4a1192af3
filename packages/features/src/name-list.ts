import { ApiError } from "@product-search/core/errors.ts";

/** The names of a list separated by commas, in which `\,` is a comma and `\\` a backslash. */
export function readNameList(parameter: string, list: string): string[] {
  const names = splitAtCommas(list).map((name) => name.trim());
  if (!names.includes("")) return names;
  throw new ApiError(
    "invalid_request",
    `${parameter}: has an empty name. Write names separated by single commas, and a comma inside a name as \\,.`,
  );
}

function splitAtCommas(list: string): string[] {
  return list.includes("\\") ? splitEscaped(list, ",").map(unescaped) : list.split(",");
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
