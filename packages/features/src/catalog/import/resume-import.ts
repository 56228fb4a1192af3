import { type Applied, type RollForwardDeps, rollForward } from "./roll-forward.ts";
import { withLease } from "./with-lease.ts";

/** Finishes the import of a dead process, if there is one and nobody else is working on it. */
export async function resumeImport(deps: RollForwardDeps, signal: AbortSignal): Promise<Applied | undefined> {
  const source = await deps.importJournal.findUnfinished();
  if (source === undefined) return undefined;
  const label = "an import that was left behind";
  return withLease(
    deps.importJournal,
    source,
    label,
    () => {},
    signal,
    async (unfinished) => unfinished && rollForward(deps, unfinished, () => {}, signal),
  );
}
