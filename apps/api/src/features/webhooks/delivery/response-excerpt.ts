const excerptBytes = 1024;
/** Secrets are cut out before the excerpt is, or one that lies across its end would stay in half. */
const readBytes = 4096;
const readTimeoutMs = 1000;

const secretForms = [
  /whsec_[A-Za-z0-9+/=_-]+/g,
  /v1a?,[A-Za-z0-9+/=]{20,}/g,
  /pss_[A-Za-z0-9]+/g,
  /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi,
  /((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*)["']?[^\s"',;&}]+["']?/gi,
];
// What no log, terminal or database column wants; tab, line feed and carriage return may stay.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** The beginning of what the target answered, without secrets: ours and whatever looks like one. */
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

/** As much as comes in a moment; the attempt's outcome is known already and must not wait for a slow body. */
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
    // A body that breaks off changes nothing: the status was complete.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, readBytes);
}

/** At most so many bytes, without half a character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= excerptBytes) return text;
  return bytes
    .subarray(0, excerptBytes)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}
