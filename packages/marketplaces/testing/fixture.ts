import { afterEach, beforeEach } from "vitest";
import type { Profile } from "../src/http/profile/profile.ts";
import { type LiveSource, liveSource, plainProfile } from "./live-source.ts";
import { type Respond, sendJson, startUpstream, type UpstreamServer } from "./upstream-server.ts";

/** A new marketplace for each test, and sources that call it. */
export interface Fixture {
  readonly upstream: UpstreamServer;
  source(over?: Partial<Profile>, options?: Parameters<typeof liveSource>[1]): LiveSource;
}

export function useUpstream(): Fixture {
  let upstream: UpstreamServer | undefined;
  const open: LiveSource[] = [];
  const running = (): UpstreamServer => {
    if (!upstream) throw new Error("The marketplace runs inside tests only.");
    return upstream;
  };
  beforeEach(async () => {
    upstream = await startUpstream(respondWith(3));
  });
  afterEach(async () => {
    for (const source of open.splice(0)) await source.close();
    await running().close();
  });
  return {
    get upstream() {
      return running();
    },
    source(over = {}, options = {}) {
      const made = liveSource(plainProfile(running().baseUrl, over), options);
      open.push(made);
      return made;
    },
  };
}

export function respondWith(count: number): Respond {
  return (_, response) => sendJson(response, 200, { total: count, items: products(count) });
}

export function products(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: at,
    name: `Mug ${at}`,
    price: 10 + at,
    url: `/items/${at}`,
  }));
}

/** The error and how long it took. */
export async function failure(search: Promise<unknown>) {
  const startedMs = performance.now();
  const error = await search.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - startedMs };
}
