const excerptBytes = 1024;
/** Secrets are removed before the excerpt is cut; otherwise half of a secret at its end would stay. */
const readBytes = 4096;
const readTimeoutMs = 1000;

const secretForms = [
  /whsec_[A-Za-z0-9+/=_-]+/g,
  /v1a?,[A-Za-z0-9+/=]{20,}/g,
  /pss_[A-Za-z0-9]+/g,
  /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi,
  /((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*)["']?[^\s"',;&}]+["']?/gi,
];
// Control characters, unsafe in logs, terminals and databases. Tab, line feed and carriage return may stay.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** The beginning of the target's response without secrets: our own, and anything that looks like one. */
export async function readExcerpt(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): Promise<string | undefined> {
  const text = Buffer.from(await readStart(body)).toString("utf8");
  let clean = text.replace(controlCharacters, "\ufffd");
  for (const secret of secrets) clean = clean.replaceAll(secret, "[removed]");
  for (const form of secretForms) clean = clean.replace(form, "[removed]");
  return clean === "" ? undefined : cut(clean);
}

/** Reads what arrives within a moment. The result of the attempt is already known and must not wait for a slow body. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body[Symbol.asyncIterator]();
  const enough = Promise.withResolvers<undefined>();
  const timer = setTimeout(enough.resolve, readTimeoutMs, undefined);
  try {
    while (length < readBytes) {
      const next = await Promise.race([reader.next(), enough.promise]);
      if (next === undefined || next.done === true) break;
      chunks.push(next.value);
      length += next.value.byteLength;
    }
  } catch {
    // An error in the body changes nothing: the status has arrived.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, readBytes);
}

/** At most this many bytes, without half a character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= excerptBytes) return text;
  return bytes
    .subarray(0, excerptBytes)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}
