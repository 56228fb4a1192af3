const keyBytes = 16;

/**
 * A random key. Without Web Crypto (Node 18) it is less random, which is sufficient: keys must differ, but need not
 * be secret.
 */
export function newIdempotencyKey(): string {
  const bytes = new Uint8Array(keyBytes);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(bytes);
  else for (let at = 0; at < keyBytes; at++) bytes[at] = Math.random() * 256;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
