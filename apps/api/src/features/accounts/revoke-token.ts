import type { Actor } from "../../ports/audit-log.ts";
import type { UnitOfWork } from "../../ports/unit-of-work.ts";

/** False when there is no such token, or it was revoked before. */
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
