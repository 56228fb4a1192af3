import type { IncomingMessage } from "node:http";
import { MockError } from "./mock-error.ts";

const limitBytes = 10 * 1024 * 1024;

/** The body of a request: parsed when it is JSON, else text, undefined when there is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  // Read to its end even when it is too large: a client sees the response only after it has sent all.
  for await (const piece of request) {
    size += piece.length;
    if (size <= limitBytes) pieces.push(piece);
  }
  if (size > limitBytes)
    throw new MockError(413, `The body is larger than ${limitBytes} bytes. Send a smaller one.`);
  if (size === 0) return undefined;
  const text = Buffer.concat(pieces).toString("utf8");
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MockError(400, `The body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
