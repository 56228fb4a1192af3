import { decodeHTML } from "entities";

/** A comment, a script or style with its content, or a tag. If it is never closed, it extends to the end. */
const markup = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<[a-z/!?][^<>]*(?:>|$)/gi;
const block =
  /^<\/?(?:address|article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b/i;
/** Every run of spaces and control characters but a single space, which stays as it is: most texts have no other. */
const controls = /[[\p{Cc}\s]--[ ]][\p{Cc}\s]*| [\p{Cc}\s]+/gv;

/**
 * The text of a piece of HTML on one line. Markup that a feed has escaped once too often is removed as well. Takes
 * linear time; the input need not be well-formed.
 */
export function htmlToText(html: string): string {
  return withoutMarkup(withoutMarkup(html)).replace(controls, " ").trim();
}

function withoutMarkup(html: string): string {
  const text = html.includes("<") ? html.replace(markup, (tag) => (block.test(tag) ? " " : "")) : html;
  return text.includes("&") ? decodeHTML(text) : text;
}
