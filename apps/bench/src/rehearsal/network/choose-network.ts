import { createProxies } from "./loopback.ts";
import { createNamespaces } from "./namespaces.ts";
import type { Network } from "./network.ts";

/** Real networks where this process may create them, which takes root and the program `ip`. */
export function chooseNetwork(report: (line: string) => void): Network {
  try {
    return createNamespaces();
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(-1);
    report(`Network namespaces cannot be used: ${reason}`);
    return createProxies();
  }
}
