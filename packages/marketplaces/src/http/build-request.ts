import type { Profile } from "./profile/profile.ts";
import { UpstreamError } from "./send-safely.ts";

/** The parts of a request that do not come from the search: pagination and authentication. */
export interface RequestParts {
  text: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

export interface BuiltRequest {
  url: string;
  headers: Record<string, string>;
}

/** Inserts the search into the template of the profile. */
export function buildRequest({ baseUrl, request }: Profile, parts: RequestParts): BuiltRequest {
  const path = fill(request, request.path, parts.text, percentEncode);
  const address = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const url = new URL(address);
  // A search for ".." must not leave the path that the operator wrote.
  if (!url.href.startsWith(`${new URL(baseUrl).origin}/`) || /(^|\/)\.{1,2}(\/|$)/.test(path)) {
    throw new UpstreamError("refused", "cannot be searched for this text. Search for words.");
  }
  for (const [name, template] of Object.entries(request.query ?? {})) {
    url.searchParams.set(name, fill(request, template, parts.text, asItIs));
  }
  for (const [name, value] of Object.entries(parts.query)) url.searchParams.set(name, value);
  return { url: url.href, headers: { accept: "application/json", ...request.headers, ...parts.headers } };
}

function fill(
  { words }: Profile["request"],
  template: string,
  text: string,
  encode: (text: string) => string,
): string {
  const filledWords = (): string =>
    words
      ? text
          .split(" ")
          .map((word) => words.each.replaceAll("{word}", () => encode(word)))
          .join(words.join)
      : "";
  return template.replace(/\{(query|words)\}/g, (_, name) =>
    name === "query" ? encode(text) : filledWords(),
  );
}

function asItIs(text: string): string {
  return text;
}

/** Also encodes parentheses and quotes, which have a meaning in the paths of some marketplaces. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
