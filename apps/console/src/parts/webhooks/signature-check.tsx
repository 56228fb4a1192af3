import { useEffect, useId, useState } from "react";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { CopyButton } from "../copy-button.tsx";

interface SignatureCheckProps {
  webhookId: string;
  request: SignedRequest;
}

/** Signs the request once more with the key, in this page, to compare with what a receiver got. */
export function SignatureCheck({ webhookId, request }: SignatureCheckProps) {
  const id = useId();
  const { keyOf } = useSigningKeys();
  const [key, setKey] = useState(keyOf(webhookId) ?? "");
  const [header, setHeader] = useState("");
  const signature = useSignature(request, key);
  return (
    <>
      <h3>Check the signature</h3>
      <label htmlFor={`${id}-key`}>Signing key (stays in this page)</label>
      <input
        id={`${id}-key`}
        value={key}
        placeholder="whsec_…"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setKey(event.target.value)}
      />
      {signature && (
        <>
          <p className="row">
            <span>With this key:</span> <code className="signature">{signature}</code>
            <CopyButton text={signature} label="Copy the signature" />
          </p>
          <label htmlFor={`${id}-header`}>
            <code>webhook-signature</code> that your receiver got
          </label>
          <input
            id={`${id}-header`}
            value={header}
            placeholder="v1,…"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setHeader(event.target.value)}
          />
        </>
      )}
      <p role="status">{verdict(key, header, signature)}</p>
    </>
  );
}

/** An empty text while there is nothing to compare. */
function verdict(key: string, header: string, signature: string | undefined): string {
  if (key.trim() !== "" && signature === undefined)
    return "The key is not valid: it must start with whsec_, followed by base64.";
  if (signature === undefined || header.trim() === "") return "";
  return hasSignature(header, signature)
    ? "The signature is valid: this body was signed with this key."
    : "The signature does not match: the key belongs to another webhook or was rotated, or the header is of another attempt.";
}

function useSignature({ eventId, timestamp, body }: SignedRequest, key: string): string | undefined {
  const [signature, setSignature] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    void signatureOf({ eventId, timestamp, body }, key).then((expected) => {
      if (isCurrent) setSignature(expected);
    });
    return () => {
      isCurrent = false;
    };
  }, [eventId, timestamp, body, key]);
  return signature;
}

/** What an attempt signs, as https://www.standardwebhooks.com has it. */
interface SignedRequest {
  eventId: string;
  /** Seconds since 1970, as in the header `webhook-timestamp`. */
  timestamp: number;
  body: string;
}

/** The signature that one key makes, as the header has it; undefined for what is no key. */
async function signatureOf(request: SignedRequest, key: string): Promise<string | undefined> {
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
function hasSignature(header: string, signature: string): boolean {
  return header.trim().split(/\s+/).includes(signature);
}
