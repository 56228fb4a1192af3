import type { ProductRow, UpsertProductsResponse } from "@product-search/types";
import type { WrittenProducts } from "./failures.ts";

/** As in the spec, and well below its limit for a body. */
const maxRows = 1000;
const maxBytes = 5_000_000;
const maxListed = 100;
const maxIgnored = 50;

type Rows = Iterable<ProductRow> | AsyncIterable<ProductRow>;

/** Rows that are sent together, with their places among all rows. */
interface Unit {
  group: string | undefined;
  rows: ProductRow[];
  places: number[];
  bytes: number;
}

/** Rows of one group that follow each other; all rows of the group if groups are replaced, which reads everything first. */
async function* unitsOf(rows: Rows, replaceGroups: boolean): AsyncGenerator<Unit, void> {
  const encoder = new TextEncoder();
  const groups = new Map<string, Unit>();
  let last: Unit | undefined;
  let place = 0;
  for await (const row of rows) {
    const group = groupOf(row);
    const former =
      group === undefined ? undefined : replaceGroups ? groups.get(group) : sameGroup(last, group);
    if (former === undefined && last !== undefined && !replaceGroups) yield last;
    const unit = former ?? { group, rows: [], places: [], bytes: 0 };
    unit.rows.push(row);
    unit.places.push(place);
    unit.bytes += encoder.encode(JSON.stringify(row)).length;
    if (replaceGroups) groups.set(group ?? `row ${place}`, unit);
    last = unit;
    place += 1;
  }
  if (replaceGroups) yield* groups.values();
  else if (last !== undefined) yield last;
}

/** A group that is too large for one request is only split where nothing depends on it. */
function sameGroup(unit: Unit | undefined, group: string): Unit | undefined {
  return unit?.group === group && unit.rows.length < maxRows && unit.bytes < maxBytes ? unit : undefined;
}

function groupOf(row: ProductRow): string | undefined {
  const { groupId, item_group_id = groupId }: { groupId?: unknown; item_group_id?: unknown } = Object(row);
  return typeof item_group_id === "string" || typeof item_group_id === "number"
    ? `group ${item_group_id}`
    : undefined;
}

/** Units in the batches in which they are sent. */
async function* batchesOf(rows: Rows, replaceGroups: boolean): AsyncGenerator<Unit, void> {
  let batch: Unit = { group: undefined, rows: [], places: [], bytes: 0 };
  for await (const unit of unitsOf(rows, replaceGroups)) {
    const isFull = batch.rows.length + unit.rows.length > maxRows || batch.bytes + unit.bytes > maxBytes;
    if (replaceGroups && unit.rows.length > maxRows)
      throw new RangeError(
        `${unit.group} has ${unit.rows.length} rows, and a request takes ${maxRows}: it cannot be replaced.`,
      );
    if (batch.rows.length > 0 && isFull) {
      yield batch;
      batch = { group: undefined, rows: [], places: [], bytes: 0 };
    }
    batch.rows.push(...unit.rows);
    batch.places.push(...unit.places);
    batch.bytes += unit.bytes;
    if (batch.rows.length < maxRows) continue;
    yield batch;
    batch = { group: undefined, rows: [], places: [], bytes: 0 };
  }
  if (batch.rows.length > 0) yield batch;
}

/** Sends the rows one batch after the other, and adds up the responses. An error says what was written before it. */
export async function upsertInBatches(
  rows: Rows,
  replaceGroups: boolean,
  send: (rows: ProductRow[], number: number) => Promise<UpsertProductsResponse>,
): Promise<UpsertProductsResponse> {
  const total: Total = {
    status: "success",
    created: 0,
    changed: 0,
    unchanged: 0,
    deleted: 0,
    notFound: 0,
    notFoundKeys: [] as string[],
    rejected: [] as UpsertProductsResponse["rejected"][number][],
    rejectedCount: 0,
    ignoredFields: [] as string[],
  };
  let sent = 0;
  let number = 1;
  try {
    for await (const { rows: batch, places } of batchesOf(rows, replaceGroups)) {
      addUp(total, await send(batch, number), places);
      sent += batch.length;
      number += 1;
    }
  } catch (error) {
    // Also errors of the caller: an abort, or a stream of rows that breaks off.
    const written: WrittenProducts = { ...total, rows: sent };
    if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { written });
    throw error;
  }
  return total;
}

type Total = Required<Omit<UpsertProductsResponse, Optional>> & Pick<UpsertProductsResponse, Optional>;
/** Absent if empty. */
type Optional = "unfetchableImages";

function addUp(total: Total, response: UpsertProductsResponse, places: readonly number[]): void {
  for (const count of ["created", "changed", "unchanged", "deleted", "notFound", "rejectedCount"] as const)
    total[count] += response[count];
  const { rejected, notFoundKeys = [] } = response;
  total.rejected.push(...rejected.map((row) => ({ ...row, index: places[row.index] ?? row.index })));
  total.rejected.sort((one, other) => one.index - other.index);
  total.rejected.splice(maxListed);
  total.notFoundKeys.push(...notFoundKeys.slice(0, maxListed - total.notFoundKeys.length));
  for (const list of ["ignoredFields", "unfetchableImages"] as const) {
    const names = [...new Set([...(total[list] ?? []), ...(response[list] ?? [])])];
    if (names.length > 0) total[list] = names.slice(0, maxIgnored);
  }
}
