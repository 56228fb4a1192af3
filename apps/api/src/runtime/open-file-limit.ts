import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Measured: 59, plus 14 per thread, without connections. Live marketplaces and large indexes need more. */
const ofService = 80;
const perThread = 20;
/** For clients, deliveries and images in progress. */
const forConnections = 256;

/**
 * Refuses to start if the process may open too few files: otherwise threads would fail one after the other, some of them
 * after the service has reported that it is ready. There is no portable way to read the limit, so it opens files.
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
