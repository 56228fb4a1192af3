/** A request as a developer would write it: ready to paste into a shell, or into a program with the client. */
export interface RequestSnippet {
  /** What it does, in two or three words. */
  title: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** The body is an image, read from the file `image.jpg`. */
  sendsImage?: true;
  needsToken: boolean;
  accept?: string;
  /** The call on the client, without `await client.`; a loop as a whole. */
  call: string;
}

/** The body goes through a pipe: an image is too long for an argument. */
const encodeImage = `printf '{"base64String": "%s"}' "$(base64 < image.jpg | tr -d '\\n')" |\n  `;

export function toCurl(baseUrl: string, request: RequestSnippet): string {
  const { method, path, query, body, sendsImage, needsToken, accept } = request;
  const hasBody = body !== undefined || sendsImage === true;
  const lines = [`curl ${quote(baseUrl + path + toQuery(query))}`];
  if (method !== (hasBody ? "POST" : "GET")) lines.push(`-X ${method}`);
  if (needsToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (accept) lines.push(`-H ${quote(`Accept: ${accept}`)}`);
  if (hasBody) lines.push("-H 'Content-Type: application/json'");
  if (body !== undefined) lines.push(`-d ${quote(JSON.stringify(body))}`);
  if (sendsImage) lines.push("-d @-");
  return (sendsImage ? encodeImage : "") + lines.join(" \\\n  ");
}

export function toClientCode(baseUrl: string, { needsToken, sendsImage, call }: RequestSnippet): string {
  const token = needsToken ? ", token: process.env.TOKEN" : "";
  const isLoop = call.startsWith("for ");
  return [
    ...(sendsImage ? ['import { readFile } from "node:fs/promises";'] : []),
    'import { createClient } from "@product-search/client";',
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}${token} });`,
    isLoop ? call : `const answer = await client.${call};`,
    ...(isLoop ? [] : ["console.log(answer);"]),
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
