import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

export interface SecretKeySettings {
  /** One key in base64, or two separated by a comma: the new one first. */
  secretKey: string | undefined;
  dataDir: string;
}

/** The keys of a deployment: the first encrypts, and each may have encrypted what is stored. */
export type SecretKeys = () => readonly [Buffer, ...Buffer[]];

/** While a key is replaced, the file changes beside running services. */
const rereadMs = 1000;

/**
 * The keys of SECRET_KEY, or of a key file in the data folder that is created once with mode 0600. They are read on first use,
 * so a command that encrypts nothing creates no key.
 */
export function createSecretKeys(settings: SecretKeySettings): SecretKeys {
  let keys: ReturnType<SecretKeys> | undefined;
  if (settings.secretKey !== undefined) {
    const { secretKey } = settings;
    return () => {
      keys ??= parseKeys(secretKey.split(","), "SECRET_KEY");
      return keys;
    };
  }
  const path = secretKeyFile(settings);
  let checkedMs = 0;
  let version = "";
  return () => {
    if (keys !== undefined && performance.now() - checkedMs < rereadMs) return keys;
    const present = keys === undefined ? "" : versionOf(path);
    if (keys === undefined || present !== version) {
      keys = parseKeys(readKeyFile(path), path);
      version = versionOf(path);
    }
    checkedMs = performance.now();
    return keys;
  };
}

/** How long after a change of the key file no process uses the former content. */
export const keyFileDelayMs = 2 * rereadMs;

/** Keys for another purpose, in the order of the secret keys. Neither can be computed from the other. */
export function createDerivedKeys(
  settings: SecretKeySettings,
  purpose: string,
): () => readonly [Buffer, ...Buffer[]] {
  const readSecretKeys = createSecretKeys(settings);
  const derive = (key: Buffer): Buffer => createHash("sha256").update(`${purpose}\0`).update(key).digest();
  let secretKeys: ReturnType<SecretKeys> | undefined;
  let derived: [Buffer, ...Buffer[]] | undefined;
  return () => {
    const present = readSecretKeys();
    if (derived !== undefined && present === secretKeys) return derived;
    const [first, ...others] = present;
    secretKeys = present;
    derived = [derive(first), ...others.map(derive)];
    return derived;
  };
}

export function secretKeyFile({ dataDir }: Pick<SecretKeySettings, "dataDir">): string {
  return join(dataDir, "secret.key");
}

/** The key file has these keys from now on, once its folder is flushed to the disk. */
export function replaceKeyFile(path: string, keys: readonly Buffer[]): void {
  renameSync(writeDraft(path, keys), path);
}

/** A file that is removed and made again may get the same inode, but not the same times. */
function versionOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}

function parseKeys(texts: readonly string[], where: string): [Buffer, ...Buffer[]] {
  const [first, ...others] = texts.map((text) => Buffer.from(text, "base64"));
  if (first !== undefined && [first, ...others].every((key) => key.length === 32)) return [first, ...others];
  throw new Error(
    `The key in ${where} is damaged: restore the file from a backup, or set SECRET_KEY to the key.`,
  );
}

/** The lines of the file. The first process creates the file atomically, and all others read it. */
function readKeyFile(path: string): string[] {
  const read = (): string[] => readFileSync(path, "utf8").trim().split("\n");
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const draft = writeDraft(path, [randomBytes(32)]);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  return read();
}

function writeDraft(path: string, keys: readonly Buffer[]): string {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, keys.map((key) => `${key.toString("base64")}\n`).join(""));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

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

/** Hashes what belongs to a person with a key derived from SECRET_KEY: without it, nobody can try all addresses or orders. */
export function createPersonalHash(settings: SecretKeySettings): (text: string, of: string) => string {
  const readKeys = createDerivedKeys(settings, "addresses of events");
  return (text, of) =>
    createHmac("sha256", readKeys()[0])
      .update(JSON.stringify([text, of]))
      .digest("base64url")
      .slice(0, 22);
}

/** A random key of the deployment, made once and stored encrypted: it stays the same when SECRET_KEY is replaced. */
export function createStoredSecret(
  db: Kysely<Database>,
  secretBox: SecretBox,
  name: "image slugs",
): () => Promise<Buffer> {
  let secret: Buffer | undefined;
  const read = async () => {
    const row = await db.selectFrom("secrets").select("sealed").where("name", "=", name).executeTakeFirst();
    return row && Buffer.from(secretBox.open(row.sealed), "base64");
  };
  return async () => {
    secret ??= await read();
    if (secret !== undefined) return secret;
    await db
      .insertInto("secrets")
      .values({ name, sealed: secretBox.seal(randomBytes(32).toString("base64")) })
      // Another process may have been faster.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    secret = await read();
    if (secret === undefined) throw new Error(`The stored secret "${name}" has gone while it was read.`);
    return secret;
  };
}
