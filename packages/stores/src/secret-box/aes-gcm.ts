import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";

const ivBytes = 12;
const tagBytes = 16;

export interface SecretKeySettings {
  secretKey: string | undefined;
  dataDir: string;
}

/**
 * AES-256-GCM with SECRET_KEY, or with a key file in the data folder that is created once with mode 0600. The key is
 * read on first use, so a command that encrypts nothing creates no key.
 */
export function createAesGcmSecretBox(settings: SecretKeySettings): SecretBox {
  let known: Buffer | undefined;
  const readKey = (): Buffer => {
    known ??= readSecretKey(settings);
    return known;
  };
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", readKey(), iv);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const key = readKey();
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
        decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        return (
          decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8")
        );
      } catch (cause) {
        throw new Error(
          "A stored secret cannot be decrypted: it is damaged, or was encrypted with another SECRET_KEY.",
          { cause },
        );
      }
    },
  };
}

/** A derived key for another purpose. Neither key can be computed from the other. */
export function deriveKey(settings: SecretKeySettings, purpose: string): Buffer {
  return createHash("sha256").update(`${purpose}\0`).update(readSecretKey(settings)).digest();
}

export function secretKeyFile({ dataDir }: Pick<SecretKeySettings, "dataDir">): string {
  return join(dataDir, "secret.key");
}

function readSecretKey(settings: SecretKeySettings): Buffer {
  const path = secretKeyFile(settings);
  const key = Buffer.from(settings.secretKey ?? keyFile(path), "base64");
  if (key.length === 32) return key;
  throw new Error(
    `The key in ${path} is damaged: restore the file from a backup, or set SECRET_KEY to the key.`,
  );
}

/** The key in the file. The first process creates the file atomically, and all others read it. */
function keyFile(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const draft = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString("base64")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, "utf8").trim();
}
