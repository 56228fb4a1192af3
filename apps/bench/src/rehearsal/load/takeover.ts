import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Part } from "../parts/part.ts";

export interface TakeoverWatch {
  /** Call it when a node is killed, stopped, paused or cut off. */
  nodeFailed(part: Part): void;
  /** Call it when a node that was paused or cut off works again: it may have kept its jobs. */
  nodeReturned(part: Part): void;
  /**
   * The longest time until a job of a failed node had another holder, or until now; null if no job needed one. The time in
   * which PostgreSQL could not be read does not count.
   */
  end(): Promise<number | null>;
}

interface LeaseRow {
  job: string;
  holder: string;
  number: string;
  isValid: boolean;
}

interface FailedLease {
  part: Part;
  job: string;
  number: string;
  sinceMs: number;
  hasReturned: boolean;
}

const pollMs = 200;

/** Reads the leases in PostgreSQL, directly. */
export async function watchTakeovers(
  databaseUrl: string,
  report: (line: string) => void,
): Promise<TakeoverWatch> {
  const reader = createLeaseReader(databaseUrl);
  let leases = await reader.read();
  let longest: number | null = null;
  let failed: FailedLease[] = [];
  const stopping = new AbortController();
  let lookedAtMs = performance.now();
  const look = async () => {
    const read = await reader.read().catch(() => undefined);
    const nowMs = performance.now();
    // While PostgreSQL cannot be reached, nobody can take a job over.
    if (read === undefined)
      for (const lease of failed) lease.sinceMs += nowMs - Math.max(lookedAtMs, lease.sinceMs);
    lookedAtMs = nowMs;
    leases = read ?? leases;
    failed = failed.filter((lease) => {
      const current = leases.find(({ job }) => job === lease.job);
      if (!current || current.number === lease.number) return !(lease.hasReturned && current?.isValid);
      const seconds = secondsSince(lease.sinceMs);
      report(`the job ${lease.job} of ${lease.part.name} has a new holder after ${seconds} s`);
      longest = Math.max(longest ?? 0, seconds);
      return false;
    });
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    nodeFailed(part) {
      const pid = String(part.process.pid());
      const held = leases.filter(({ holder, isValid }) => isValid && holder.split(" ")[1] === pid);
      for (const { job, number } of held) {
        failed.push({ part, job, number, sinceMs: performance.now(), hasReturned: false });
      }
    },
    nodeReturned(part) {
      for (const lease of failed) if (lease.part === part) lease.hasReturned = true;
    },
    async end() {
      stopping.abort();
      await watching;
      reader.close();
      for (const { sinceMs } of failed) longest = Math.max(longest ?? 0, secondsSince(sinceMs));
      return longest;
    },
  };
}

function secondsSince(ms: number): number {
  return Math.round((performance.now() - ms) / 100) / 10;
}

/** Reads the leases over one connection, which it replaces after an error. */
export function createLeaseReader(url: string) {
  let client: pg.Client | undefined;
  const close = () => {
    client?.end().catch(() => {});
    client = undefined;
  };
  return {
    async read(): Promise<LeaseRow[]> {
      try {
        client ??= await connect(url);
        const { rows } = await client.query<LeaseRow>(
          `select job, holder, number, until > clock_timestamp() as "isValid" from leases`,
        );
        return rows;
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000, query_timeout: 1000 });
  client.on("error", () => {});
  await client.connect();
  return client;
}
