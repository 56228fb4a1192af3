import { setTimeout as delay } from "node:timers/promises";
import type { ServicePart } from "../parts/service-part.ts";
import type { ClusterClient } from "./cluster-client.ts";

/** The limit by IP address of the nodes during the rehearsal. It also applies to unknown paths, which cost little. */
export const rehearsedLimit = { requests: 60, seconds: 10 };

const everyMs = 80;
/** Near the borders of a window, it is not known to which one a request was counted. */
const borderMs = 300;

export interface MeasuredLimit {
  /** By how much the limit was exceeded in the worst window, as a part of it; null if no window was used up. */
  overshoot: number | null;
  /** The windows in which it was exceeded. */
  exceeded: { startMs: number; admitted: number }[];
}

/** Sends twice as many requests as the limit allows, to all nodes by turns that a balancer would use. */
export async function measureLimit(
  client: Pick<ClusterClient, "inUse">,
  signal: AbortSignal,
): Promise<MeasuredLimit> {
  const windowMs = rehearsedLimit.seconds * 1000;
  const windows = new Map<number, WindowCounts>();
  const underWay = new Set<Promise<void>>();
  const send = async (node: ServicePart) => {
    const sentMs = Date.now();
    const window = Math.floor(sentMs / windowMs);
    const status = await statusOf(node);
    if (Math.floor(Date.now() / windowMs) !== window) return;
    const counts = windows.get(window) ?? { admitted: 0, refused: 0 };
    windows.set(window, counts);
    if (status === 404) counts.admitted += 1;
    if (status === 429) counts.refused += 1;
  };
  for (let turn = 0; !signal.aborted; turn += 1) {
    const inWindow = Date.now() % windowMs;
    const nodes = client.inUse();
    const node = nodes[turn % nodes.length];
    if (node && inWindow > borderMs && inWindow < windowMs - borderMs) {
      const sending = send(node).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay);
  return exceededWindows(windows, windowMs);
}

interface WindowCounts {
  admitted: number;
  refused: number;
}

function exceededWindows(windows: ReadonlyMap<number, WindowCounts>, windowMs: number): MeasuredLimit {
  const { requests } = rehearsedLimit;
  const exceeded = [...windows]
    .filter(([, { admitted }]) => admitted > requests)
    .map(([window, { admitted }]) => ({ startMs: window * windowMs, admitted }));
  const isUsedUp = exceeded.length > 0 || [...windows.values()].some(({ refused }) => refused > 0);
  const most = Math.max(requests, ...exceeded.map(({ admitted }) => admitted));
  return { exceeded, overshoot: isUsedUp ? (most - requests) / requests : null };
}

async function statusOf({ url }: ServicePart): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/api/v1/rehearsal`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
