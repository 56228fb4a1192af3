export const algorithm = { name: "HMAC", hash: "SHA-256" };

/** The signed text: https://github.com/standard-webhooks/standard-webhooks. */
export function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

/** Undefined for a text that is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Web Crypto is a global, except in Node 18, where it is in a module. */
export async function webCrypto(): Promise<Pick<Crypto, "subtle">> {
  if (globalThis.crypto) return globalThis.crypto;
  // Written so that bundlers for browsers do not find an import of a Node module here.
  const name = `${process.release.name}:crypto`;
  const { webcrypto }: { webcrypto: Pick<Crypto, "subtle"> } = await import(name);
  return webcrypto;
}
