/** A request as a developer would write it: ready to paste into a shell, or into a program with the client. */
export interface RequestSnippet {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  needsToken: boolean;
  accept?: string;
  /** The call on the client, without `await client.`. */
  call: string;
}

export function toCurl(
  baseUrl: string,
  { method, path, query, body, needsToken, accept }: RequestSnippet,
): string {
  const lines = [`curl ${quote(baseUrl + path + toQuery(query))}`];
  if (method !== "GET") lines.push(`-X ${method}`);
  if (needsToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (accept) lines.push(`-H ${quote(`Accept: ${accept}`)}`);
  if (body !== undefined)
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

export function toClientCode(baseUrl: string, { needsToken, call }: RequestSnippet): string {
  const token = needsToken ? ", token: process.env.TOKEN" : "";
  const streams = call.startsWith("for ");
  return [
    'import { createClient } from "@product-search/client";',
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}${token} });`,
    streams ? call : `const answer = await client.${call};`,
  ].join("\n");
}

function toQuery(query: RequestSnippet["query"]): string {
  const entries = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

/** Single quotes keep a shell from reading anything in the text. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
