import { type Applied, type RollForwardDeps, rollForward } from "./roll-forward.ts";
import { withLease } from "./with-lease.ts";

/** Finishes the import that a dead process left behind, if there is one that nobody works on. */
export async function resumeImport(deps: RollForwardDeps, signal: AbortSignal): Promise<Applied | undefined> {
  if (!(await deps.importJournal.hasUnfinished())) return undefined;
  const label = "an import that was left behind";
  return withLease(
    deps.importJournal,
    label,
    () => {},
    signal,
    async (unfinished) => unfinished && rollForward(deps, unfinished, () => {}, signal),
  );
}
