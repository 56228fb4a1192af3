import { createLoopback } from "../network/loopback.ts";
import type { ServicePart } from "./service-part.ts";

/** A part for tests, without a process. */
export function fakeNode(name: string, problem?: string): ServicePart {
  return {
    name,
    kind: "service",
    url: "",
    process: {
      pid: () => undefined,
      start() {},
      kill: async () => {},
      stop: async () => {},
      pause() {},
      resume() {},
      yieldProcessor() {},
    },
    stopSignal: "SIGTERM",
    host: createLoopback().addHost(),
    isHealthy: async () => problem === undefined,
    describe: async () => problem ?? "ready",
  };
}
