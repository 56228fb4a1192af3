import type { DeliveryTask } from "../../ports/delivery-queue.ts";
import type { SecretBox } from "../../ports/secret-box.ts";

export type SigningKeys = Pick<DeliveryTask, "signingKeys" | "fault">;

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

/**
 * The keys that sign, given and returned newest first. One that cannot be read concerns its webhook alone: the others' tasks
 * come from the same transaction. A former one is left out then: it was rotated because it cannot be read, or is about to end.
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
