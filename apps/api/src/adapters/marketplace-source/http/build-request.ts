import type { Profile } from "./profile/profile.ts";
import { UpstreamError } from "./upstream-error.ts";

/** What a request needs besides the search: what the pagination and the authentication add. */
export interface RequestParts {
  text: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

export interface BuiltRequest {
  url: string;
  headers: Record<string, string>;
}

/** Puts the search into the profile's template. */
export function buildRequest({ baseUrl, request }: Profile, parts: RequestParts): BuiltRequest {
  const path = fill(request, request.path, parts.text, percentEncode);
  const address = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const url = new URL(address);
  // A search for ".." must not climb out of the path that the operator wrote.
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

/** Parentheses and quotes too: they mean something in some marketplaces' paths. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
