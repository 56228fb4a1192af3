import type { DeliveryTask } from "@product-search/core/ports/delivery-queue.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";

export type SigningKeys = Pick<DeliveryTask, "signingKeys" | "fault">;

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

/**
 * The signing keys, newest first. A key that cannot be read affects only its webhook: the tasks of others are in the
 * same transaction. A former key that cannot be read is left out: it was rotated because of that, or expires soon.
 */
export function openSigningKeys(secretBox: SecretBox, sealed: readonly Uint8Array[]): SigningKeys {
  const [newest, ...former] = sealed;
  const key = newest && openKey(secretBox, newest);
  if (key === undefined) return { signingKeys: [], fault: unreadableKey };
  return { signingKeys: [key, ...former.flatMap((one) => openKey(secretBox, one) ?? [])] };
}

function openKey(secretBox: SecretBox, sealed: Uint8Array): string | undefined {
  try {
    return secretBox.open(sealed);
  } catch {
    return undefined;
  }
}
