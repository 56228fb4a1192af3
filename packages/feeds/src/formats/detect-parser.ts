import { FeedError, type FeedParser } from "./feed-row.ts";
import { createJsonArrayParser } from "./json-array-parser.ts";
import { createJsonLinesParser } from "./json-lines-parser.ts";
import { createTableParser } from "./table-parser.ts";
import { createXmlParser } from "./xml-parser.ts";

/** The parser for the format that the text begins with. File names and media types are ignored. */
export function detectParser(start: string): FeedParser {
  switch (start.charAt(0)) {
    case "<":
      return createXmlParser();
    case "{":
      return createJsonLinesParser();
    case "[":
      return createJsonArrayParser();
    case "":
      throw new FeedError("The feed is empty.");
  }
  const [header = ""] = start.split("\n", 1);
  if (header.includes("\t")) return createTableParser("\t");
  return createTableParser(header.split(";").length > header.split(",").length ? ";" : ",");
}
