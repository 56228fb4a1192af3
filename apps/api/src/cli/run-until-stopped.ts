import type { Config } from "../config.ts";
import { type RunningService, runService } from "../main.ts";
import { watchLauncher } from "./watch-launcher.ts";

/** Runs the service until a signal asks it to stop, or the npx that launched it was interrupted, which leaves its children behind. */
export async function runUntilStopped(
  config: Config,
  onReady: (service: RunningService) => Promise<void> | void,
) {
  let stop: (() => void) | undefined;
  const stopped = new Promise<Error | undefined>((resolve) => {
    stop = () => resolve(undefined);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    watchLauncher(stop);
    runService(config, resolve).then(
      async (service) => {
        running = service;
        await onReady(service);
      },
      (error: Error) => resolve(error),
    );
  });
  let running: RunningService | undefined;
  const failure = await stopped;
  await running?.stop();
  if (failure) throw failure;
}
