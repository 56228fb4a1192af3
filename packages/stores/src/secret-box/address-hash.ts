import { createHmac } from "node:crypto";
import { createDerivedKeys, type SecretKeySettings } from "./secret-keys.ts";

/** Hashes an address and what it did with a key derived from SECRET_KEY: without the key, nobody can try all addresses. */
export function createAddressHash(settings: SecretKeySettings): (address: string, what: string) => string {
  const readKeys = createDerivedKeys(settings, "addresses of events");
  return (address, what) =>
    createHmac("sha256", readKeys()[0]).update(`${address} ${what}`).digest("base64url").slice(0, 22);
}
