import type { Host } from "../network/network.ts";
import type { ServerProcess } from "./server-process.ts";

export const partKinds = ["postgres", "opensearch", "service"] as const;
export type PartKind = (typeof partKinds)[number];

/** A part of the cluster that faults happen to. */
export interface Part {
  name: string;
  kind: PartKind;
  process: ServerProcess;
  /** The signal that ends it in order. */
  stopSignal: NodeJS.Signals;
  host: Host;
  isHealthy(): Promise<boolean>;
  /** Its state in words, to tell why it is not healthy. */
  describe(): Promise<string>;
}

/** What `describe` says, or that it failed. */
export async function describePart(part: Part): Promise<string> {
  const state = await part.describe().catch((error: unknown) => {
    return error instanceof Error ? `${error.message} (${error.name})` : String(error);
  });
  return `${part.name}: ${state}`;
}

export async function untilHealthy(part: Part, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !signal?.aborted) {
    if (await part.isHealthy().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
