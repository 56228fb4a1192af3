import type { Actor } from "@product-search/core/ports/audit-log.ts";
import type { UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";

/** False if there is no such token, or it is already revoked. */
export function revokeToken(
  { unitOfWork }: { unitOfWork: UnitOfWork },
  actor: Actor,
  tokenId: string,
): Promise<boolean> {
  return unitOfWork.transact(actor, async ({ accountStore, audit }) => {
    const isRevoked = await accountStore.revokeToken(tokenId);
    if (isRevoked) await audit.record("token.revoked", tokenId);
    return isRevoked;
  });
}
