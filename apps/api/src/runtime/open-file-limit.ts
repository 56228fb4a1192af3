import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Measured: 59 and 14 a thread, without any connection; live marketplaces and large indexes come on top. */
const ofService = 80;
const perThread = 20;
/** Clients, deliveries and pictures under way. */
const forConnections = 256;

/**
 * Refuses to start where the process may open too few files: threads would fail one after the other, some of them after
 * the service said that it serves. Asking the system for the limit differs everywhere; opening files does not.
 */
export function assertOpenFiles(threads: number): void {
  const needed = ofService + perThread * threads + forConnections;
  const opened: number[] = [];
  try {
    while (opened.length < needed) opened.push(openSync(devNull, "r"));
  } catch (cause) {
    throw new Error(
      `This process may open only ${opened.length} more files; with THREADS=${threads} the service needs ${needed}. ` +
        "Raise the limit (`ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit, --ulimit nofile=4096 for a container), or set THREADS lower.",
      { cause },
    );
  } finally {
    for (const file of opened) closeSync(file);
  }
}
