import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type {
  ImageOutcome,
  ImageProgress,
  ProductImage,
  ProductImageStore,
} from "@product-search/core/ports/product-image-store.ts";
import { toHalfFloats } from "../database/half-floats.ts";
import { createTolerantBatch } from "../database/tolerant-batch.ts";
import { prepareImageLetters } from "./image-letters.ts";
import type { SqliteProductImageStoreSettings } from "./sqlite-settings.ts";

/** The queue of images to fetch and describe, and their outcomes. The service's own images are due first. */
export function createImageQueue({
  connection,
  clock,
}: SqliteProductImageStoreSettings): Pick<
  ProductImageStore,
  "requeueWithout" | "due" | "record" | "progress"
> {
  const without = connection.prepare<[number, number], { id: number }>(
    "select id from pictures where id > ? order by id limit ?",
  );
  const requeue = connection.prepare<[number, number, number, string]>(
    `update pictures set state = 'waiting', attempts = 0, due_at = iif(address like '/%', 0, ?)
     where id > ? and id <= ? and state <> 'waiting'
       and not exists (select 1 from picture_vectors where picture_id = id and model = ?)`,
  );
  const due = connection.prepare<[string, number, number], ProductImage & { etag: string | null }>(
    `select id, address, attempts,
       (select etag from picture_vectors where picture_id = id and model = ?) as etag
     from pictures where state = 'waiting' and due_at <= ?
     order by due_at limit ?`,
  );
  const counts = connection.prepare<[], { state: string; images: number }>(
    "select state, count(*) as images from pictures group by state",
  );
  const countUntried = connection.prepare<[], { images: number }>(
    "select count(*) as images from pictures where state = 'waiting' and attempts = 0",
  );
  const write = prepareRecord(connection);
  const recordError = prepareErrors(connection, write);
  const recordAll = connection.transaction(
    createTolerantBatch(
      connection,
      (outcome: ImageOutcome) => write(outcome, clock.now()),
      ({ id }, error) => recordError(id, error, clock.now()),
    ),
  );

  return {
    async requeueWithout(model, afterId, limit) {
      const last = without.all(afterId, limit).at(-1);
      if (last === undefined) return undefined;
      requeue.run(clock.now(), afterId, last.id, model);
      return last.id;
    },
    due: async (model, limit) =>
      due
        .all(model, clock.now(), limit)
        .map(({ etag, ...image }) => ({ ...image, ...(etag !== null && { etag }) })),
    record: async (outcomes) => recordAll.immediate(outcomes),
    async progress(): Promise<ImageProgress> {
      const byState = new Map(counts.all().map(({ state, images }) => [state, images]));
      return {
        described: byState.get("described") ?? 0,
        waiting: byState.get("waiting") ?? 0,
        untried: countUntried.get()?.images ?? 0,
        lost: byState.get("lost") ?? 0,
      };
    },
  };
}

const unrecordedPauseMs = 60_000;

/** The outcome is lost. The image is due again after a minute, and becomes a dead letter after five failures. */
function prepareErrors(
  connection: SqliteProductImageStoreSettings["connection"],
  write: Write,
): (id: number, error: unknown, nowMs: number) => void {
  const attempts = connection.prepare<[number], { attempts: number }>(
    "select attempts from pictures where id = ?",
  );
  return (id, error, nowMs) => {
    const fault = error instanceof Error ? error.message : String(error);
    const failures = (attempts.get(id)?.attempts ?? 0) + 1;
    if (failures >= maxFailures) write({ id, became: "dead", fault }, nowMs);
    else write({ id, became: "retry", afterMs: unrecordedPauseMs, fault }, nowMs);
  };
}

type Write = (outcome: ImageOutcome, nowMs: number) => void;

function prepareRecord(connection: SqliteProductImageStoreSettings["connection"]): Write {
  // No product shows the image any more: it was removed, and there is nothing to record.
  const isKept = connection.prepare<[number], unknown>("select 1 from pictures where id = ?");
  const keepVector = connection.prepare<[number, string, Uint8Array, string | null]>(
    `insert into picture_vectors (picture_id, model, vector, etag) values (?, ?, ?, ?)
     on conflict do update set vector = excluded.vector, etag = excluded.etag`,
  );
  const removeVectors = connection.prepare<[number]>("delete from picture_vectors where picture_id = ?");
  const settle = connection.prepare<[string, string | null, number, number]>(
    "update pictures set state = ?, fault = ?, attempts = 0, fetched_at = ? where id = ?",
  );
  const retry = connection.prepare<[string, number, number]>(
    "update pictures set fault = ?, attempts = attempts + 1, due_at = ? where id = ?",
  );
  const touch = connection.prepare<[number]>(
    `insert or replace into vector_changes (product_row_id)
     select product_row_id from product_pictures where picture_id = ?`,
  );
  const letters = prepareImageLetters(connection);
  const lose = (id: number, fault: string, nowMs: number) => {
    removeVectors.run(id);
    settle.run("lost", fault, nowMs, id);
    touch.run(id);
  };
  return (outcome, nowMs) => {
    const { id } = outcome;
    if (!isKept.get(id)) return;
    switch (outcome.became) {
      case "described": {
        const { model, vector } = outcome.descriptor;
        keepVector.run(id, model, toHalfFloats(vector), outcome.etag ?? null);
        settle.run("described", null, nowMs, id);
        letters.remove(id);
        touch.run(id);
        return;
      }
      case "unchanged":
        settle.run("described", null, nowMs, id);
        return;
      case "retry":
        retry.run(outcome.fault, nowMs + outcome.afterMs, id);
        return;
      case "dead":
        letters.add(id, outcome.fault, nowMs);
        lose(id, outcome.fault, nowMs);
        return;
      case "lost":
        lose(id, outcome.fault, nowMs);
        return;
    }
  };
}
