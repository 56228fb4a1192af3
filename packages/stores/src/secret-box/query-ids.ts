import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { type NamedSearch, type QueryIds, queryIdLifetimeMs } from "@product-search/core/ports/insights.ts";
import { createDerivedKeys, type SecretKeySettings } from "./secret-keys.ts";

const ivBytes = 12;
const tagBytes = 16;
/** Randomness for one at a time costs as much as the encryption. */
const ivsAtOnce = 256;
const algorithm = "aes-256-gcm";
/** The text of a search that has one, but is not kept; no text has this character. */
const countedOnly = "\0";
/** A kept text has no control characters but that one. */
const endOfText = "\n";
/** The clocks of nodes differ a little. */
const maxAheadMs = 60_000;

/** Encrypted, because a text is nobody else's business, with a key derived from SECRET_KEY, which is read on first use. */
export function createQueryIds({ clock, ...settings }: SecretKeySettings & { clock: Clock }): QueryIds {
  const readKeys = createDerivedKeys(settings, "query ids");
  const ivs = Buffer.alloc(ivBytes * ivsAtOnce);
  let used = ivs.length;
  const nextIv = (): Buffer => {
    if (used === ivs.length) {
      randomFillSync(ivs);
      used = 0;
    }
    used += ivBytes;
    return ivs.subarray(used - ivBytes, used);
  };
  return {
    make({ atMs, text, request = "" }) {
      const iv = nextIv();
      const cipher = createCipheriv(algorithm, readKeys()[0], iv);
      const seconds = Buffer.alloc(4);
      seconds.writeUInt32BE(Math.floor(atMs / 1000));
      const query = text.kind === "kept" ? text.query : text.kind === "counted" ? countedOnly : "";
      const content = `${query}${endOfText}${request}`;
      const sealed = Buffer.concat([cipher.update(seconds), cipher.update(content, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    read(queryId) {
      const bytes = Buffer.from(queryId, "base64url");
      if (bytes.length < ivBytes + tagBytes + 4) return undefined;
      const iv = bytes.subarray(0, ivBytes);
      const opened = readKeys()
        .map((key) => open(key, iv, bytes))
        .find((text) => text !== undefined);
      if (opened === undefined) return undefined;
      const atMs = opened.readUInt32BE() * 1000;
      const ageMs = clock.now() - atMs;
      if (ageMs > queryIdLifetimeMs || ageMs < -maxAheadMs) return undefined;
      const content = opened.toString("utf8", 4);
      const end = content.indexOf(endOfText);
      const request = content.slice(end + 1);
      return {
        id: iv.toString("base64url"),
        search: { atMs, text: textOf(content.slice(0, end)), ...(request !== "" && { request }) },
      };
    },
  };
}

function open(key: Buffer, iv: Buffer, bytes: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(algorithm, key, iv);
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function textOf(query: string): NamedSearch["text"] {
  if (query === "") return { kind: "none" };
  return query === countedOnly ? { kind: "counted" } : { kind: "kept", query };
}
