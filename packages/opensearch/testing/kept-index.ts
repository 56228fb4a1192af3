import { type KeepIndexSettings, keepIndex } from "../src/cluster/keep-index.ts";
import { soleLease, type TestIndex } from "./opensearch.ts";

/** Rows and their changes, like a database. */
export class Rows {
  readonly #values = new Map<number, number>();
  #changes: { sequence: number; rowId: number }[] = [];
  #history = "first";
  onScan: () => void = () => {};

  put(rowId: number, value: number | undefined): void {
    if (value === undefined) this.#values.delete(rowId);
    else this.#values.set(rowId, value);
    const sequence = this.#last() + 1;
    this.#changes = [...this.#changes.filter((change) => change.rowId !== rowId), { sequence, rowId }];
  }

  /** Like restoring a backup that is older than the index. */
  restore(values: ReadonlyMap<number, number>): void {
    this.#history += " restored";
    this.#values.clear();
    this.#changes = [];
    for (const [rowId, value] of values) this.put(rowId, value);
  }

  #last(): number {
    return this.#changes.at(-1)?.sequence ?? 0;
  }

  #entry(rowId: number) {
    const value = this.#values.get(rowId);
    return { id: rowId, source: value === undefined ? undefined : { value } };
  }

  source: KeepIndexSettings["source"] = {
    identity: "rows",
    markAt: async () => this.#history,
    lastSequence: async () => this.#last(),
    changesAfter: async (sequence, limit) =>
      this.#changes.filter((change) => change.sequence > sequence).slice(0, limit),
    read: async (rowIds) => rowIds.map((rowId) => this.#entry(rowId)),
    scan: async (after, limit) => {
      const ids = [...this.#values.keys()].filter((rowId) => rowId > after).sort((a, b) => a - b);
      const entries = ids.slice(0, Math.min(limit, 2)).map((rowId) => this.#entry(rowId));
      this.onScan();
      return entries;
    },
  };
}

const layout = {
  settings: { gc_deletes: "1h" },
  mappings: { dynamic: false, properties: { value: { type: "long" } } },
};

export interface Keeper {
  /** The ids of the rows that OpenSearch rejected. */
  readonly refused: number[];
  readonly errors: unknown[];
  readonly newerLayouts: number[];
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Keeps an index of the rows. Its times are short. */
export function keepRows(opened: TestIndex, rows: Rows, settings: Partial<KeepIndexSettings> = {}): Keeper {
  const stopping = new AbortController();
  const refused: number[] = [];
  const errors: unknown[] = [];
  const newerLayouts: number[] = [];
  const ended = keepIndex(
    {
      ...opened,
      lease: soleLease,
      version: 1,
      layout,
      shards: { chosen: undefined, entriesEach: 1000 },
      refreshInterval: "50ms",
      source: rows.source,
      onRefused: (rowId) => refused.push(rowId),
      onError: (error) => errors.push(error),
      onNewerLayout: (version) => newerLayouts.push(version),
      pollMs: 5,
      retireMs: 0,
      ...settings,
    },
    stopping.signal,
  );
  const stop = async () => {
    stopping.abort();
    await ended.catch(() => {});
  };
  return { refused, errors, newerLayouts, ended, stop };
}

/** What searches find behind the alias. */
export async function valuesBehind({ cluster, alias }: TestIndex): Promise<Record<string, number>> {
  const body = { size: 100, query: { match_all: {} } };
  const response: unknown = await cluster.request({ method: "POST", path: `/${alias}/_search`, body });
  const { hits } = response as { hits: { hits: { _id: string; _source: { value: number } }[] } };
  return Object.fromEntries(hits.hits.map(({ _id, _source }) => [_id, _source.value]));
}
