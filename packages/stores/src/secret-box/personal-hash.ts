import { createHmac } from "node:crypto";
import { createDerivedKeys, type SecretKeySettings } from "./secret-keys.ts";

/** Hashes what belongs to a person with a key derived from SECRET_KEY: without it, nobody can try all addresses or orders. */
export function createPersonalHash(settings: SecretKeySettings): (text: string, of: string) => string {
  const readKeys = createDerivedKeys(settings, "addresses of events");
  return (text, of) =>
    createHmac("sha256", readKeys()[0])
      .update(JSON.stringify([text, of]))
      .digest("base64url")
      .slice(0, 22);
}
