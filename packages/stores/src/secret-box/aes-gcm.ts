import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import { createSecretKeys, type SecretKeySettings, type SecretKeys } from "./secret-keys.ts";

const ivBytes = 12;
const tagBytes = 16;

/** With the keys of the deployment. */
export function createAesGcmSecretBox(settings: SecretKeySettings): SecretBox {
  return secretBoxWith(createSecretKeys(settings));
}

/** AES-256-GCM. Encrypts with the first key, and decrypts with each. */
export function secretBoxWith(keys: SecretKeys): SecretBox {
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", keys()[0], iv);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    open(sealed) {
      let cause: unknown;
      for (const key of keys()) {
        try {
          return open(sealed, key);
        } catch (error) {
          cause ??= error;
        }
      }
      throw new Error(
        "A stored secret cannot be decrypted: it is damaged, or was encrypted with another SECRET_KEY.",
        { cause },
      );
    },
  };
}

function open(sealed: Uint8Array, key: Buffer): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
}
