import { decodeHTML } from "entities";

/** A comment, a script or style with its content, or a tag; what is never closed reaches to the end. */
const markup = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<[a-z/!?][^<>]*(?:>|$)/gi;
const block =
  /^<\/?(?:address|article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b/i;
const controls = /[\p{Cc}\s]+/gu;

/**
 * The text of a piece of HTML on one line. Markup that was escaped once too often, as feeds do, goes too.
 * Linear in the length of its input, which need not be well-formed.
 */
export function htmlToText(html: string): string {
  return withoutMarkup(withoutMarkup(html)).replace(controls, " ").trim();
}

function withoutMarkup(html: string): string {
  const text = html.includes("<") ? html.replace(markup, (tag) => (block.test(tag) ? " " : "")) : html;
  return text.includes("&") ? decodeHTML(text) : text;
}
