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
  if (!list.includes("\\")) return list.split(",");
  const names: string[] = [];
  let start = 0;
  for (const { 0: part, index } of list.matchAll(/\\[\\,]|,/g)) {
    if (part !== ",") continue;
    names.push(unescaped(list.slice(start, index)));
    start = index + 1;
  }
  return [...names, unescaped(list.slice(start))];
}

function unescaped(name: string): string {
  return name.replaceAll(/\\([\\,])/g, "$1");
}
