import { setImmediate } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import {
  type ApplyOutcome,
  type CatalogStore,
  ImportLeaseLostError,
  type ImportProgress,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type Sqlite from "better-sqlite3";
import type { Outbox } from "../database/outbox.ts";
import { prepareImportLetters } from "./import-letters.ts";
import { type Creation, type ProductWrites, prepareProductWrites, toCreation } from "./product-writes.ts";
import { prepareApplyEach } from "./sqlite-apply-each.ts";
import { prepareRemove } from "./sqlite-remove.ts";

export interface ApplySettings {
  /** A transaction that other code has open on it is waited for. It must end soon, and without this store. */
  connection: Sqlite.Database;
  clock: Clock;
  /** Called with every change, inside its transaction. */
  outbox: Outbox;
  /** How long it is waited for. */
  freeWithinMs?: number;
}

/** Transactions of other code take milliseconds, unless they wait for another process. */
const usualFreeWithinMs = 10_000;

interface Plan {
  readonly input: ProductInput;
  readonly id: string;
  readonly creation?: Creation;
  readonly unchanged?: boolean;
}

/**
 * The transaction blocks all other writers, so as much as possible is computed before it. A product that has not
 * changed is not checked again: a writer that changes it meanwhile came later.
 */
export function createApply({
  connection,
  clock,
  outbox,
  freeWithinMs = usualFreeWithinMs,
}: ApplySettings): Pick<CatalogStore, "apply" | "applyEach" | "remove"> {
  const writes = prepareProductWrites(connection, outbox);
  const letters = prepareImportLetters(connection);
  const advance = prepareAdvance(connection);
  /**
   * What can be computed while others may write. If two inputs have the same key, the later one waits for the first.
   * It reads in one transaction, because separate reads would lock and unlock the database for every product.
   */
  const planAll = connection.transaction((inputs: readonly ProductInput[], nowMs: number): Plan[] => {
    const seen = new Set<string>();
    return inputs.map((input) => {
      const id = productId(input.source, input.key);
      const { size } = seen;
      if (seen.add(id).size === size) return { input, id };
      const row = writes.find(id);
      if (row === undefined) return { input, id, creation: toCreation(input, id, nowMs) };
      return { input, id, unchanged: writes.compare(row, input, nowMs) === undefined };
    });
  });
  const applyAll = connection.transaction(
    (plans: readonly Plan[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      if (letters.exist()) for (const { id } of plans) letters.remove(id);
      return plans.map((plan) => applyPlan(writes, plan, nowMs));
    },
  );
  const applyEach = prepareApplyEach(connection, writes, letters);
  const eachInTurn = connection.transaction(
    (inputs: readonly ProductInput[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      return inputs.map((input) => applyEach(input, nowMs));
    },
  );
  const removeOne = prepareRemove(connection, outbox);
  const removeAll = connection.transaction(
    (ids: readonly string[], nowMs: number, progress: ImportProgress | undefined) => {
      advance(progress);
      return ids.map((id) => removeOne(id, nowMs));
    },
  );
  const untilFree = async () => {
    for (const startedAt = performance.now(); connection.inTransaction; await setImmediate()) {
      if (performance.now() - startedAt > freeWithinMs)
        throw new Error("Writing has to wait too long: another transaction is open on the same connection.");
    }
  };
  return {
    apply: async (inputs, progress) => {
      if (connection.inTransaction) await untilFree();
      const nowMs = clock.now();
      return applyAll.immediate(planAll.deferred(inputs, nowMs), nowMs, progress);
    },
    applyEach: async (inputs, progress) => {
      if (connection.inTransaction) await untilFree();
      return eachInTurn.immediate(inputs, clock.now(), progress);
    },
    remove: async (ids, progress) => {
      if (connection.inTransaction) await untilFree();
      return removeAll.immediate(ids, clock.now(), progress);
    },
  };
}

function prepareAdvance(connection: Sqlite.Database): (progress: ImportProgress | undefined) => void {
  const advance = connection.prepare<[number, string]>("update imports set position = ? where owner = ?");
  return (progress) => {
    if (progress === undefined) return;
    if (advance.run(progress.position, progress.owner).changes !== 1) throw new ImportLeaseLostError();
  };
}

function applyPlan(
  writes: ProductWrites,
  { input, id, creation, unchanged }: Plan,
  nowMs: number,
): ApplyOutcome {
  if (unchanged) return "unchanged";
  if (creation !== undefined && writes.create(creation)) return "created";
  const row = writes.find(id);
  if (row === undefined) {
    writes.create(toCreation(input, id, nowMs));
    return "created";
  }
  const change = writes.compare(row, input, nowMs);
  if (change === undefined) return "unchanged";
  writes.replace(change);
  return "updated";
}
