import { ApiError } from "../../errors.ts";

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
  const names: string[] = [];
  let name = "";
  for (const [part] of list.matchAll(/\\[\\,]|./gs)) {
    if (part === ",") {
      names.push(name);
      name = "";
    } else name += part.length === 2 ? part[1] : part;
  }
  return [...names, name];
}
