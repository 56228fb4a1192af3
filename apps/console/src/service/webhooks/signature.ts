/** What an attempt signs, as https://www.standardwebhooks.com has it. */
export interface SignedRequest {
  eventId: string;
  /** Seconds since 1970, as in the header `webhook-timestamp`. */
  timestamp: number;
  body: string;
}

/** The signature that one key makes, as the header has it; undefined for what is no key. */
export async function signatureOf(request: SignedRequest, key: string): Promise<string | undefined> {
  const secret = readKey(key);
  if (!secret) return undefined;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const signed = new TextEncoder().encode(`${request.eventId}.${request.timestamp}.${request.body}`);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", imported, signed));
  return `v1,${btoa(String.fromCharCode(...bytes))}`;
}

function readKey(key: string): Uint8Array<ArrayBuffer> | undefined {
  const [, encoded = ""] = /^whsec_(.+)$/.exec(key.trim()) ?? [];
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The header has one signature for each valid key, separated by spaces. */
export function hasSignature(header: string, signature: string): boolean {
  return header.trim().split(/\s+/).includes(signature);
}
