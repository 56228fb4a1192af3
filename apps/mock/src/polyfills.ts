// What the service's code uses and Node 24 lacks.

const forms = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/ };

/** White space is allowed anywhere, and padding must be complete where there is any. */
export function fromBase64(text: string, { alphabet = "base64" }: { alphabet?: keyof typeof forms } = {}) {
  const packed = text.replace(/[\t\n\f\r ]/g, "");
  const digits = packed.replace(/=+$/, "");
  const isPadded = digits.length < packed.length;
  if (!forms[alphabet].test(packed) || digits.length % 4 === 1 || (isPadded && packed.length % 4 !== 0))
    throw new SyntaxError("The text is not valid base64.");
  return Uint8Array.from(Buffer.from(digits, alphabet));
}

if (!("fromBase64" in Uint8Array))
  Object.defineProperty(Uint8Array, "fromBase64", { value: fromBase64, writable: true, configurable: true });
