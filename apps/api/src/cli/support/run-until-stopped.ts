import type { Config } from "../../config.ts";
import { type RunningService, runService } from "../../runtime/roles/main-thread.ts";
import { watchLauncher } from "./watch-launcher.ts";

/** Runs the service until a signal asks it to stop, or the npx that launched it was interrupted, which leaves its children behind. */
export async function runUntilStopped(
  config: Config,
  onReady: (service: RunningService) => Promise<void> | void,
) {
  let starting: Promise<RunningService> | undefined;
  const stopped = new Promise<Error | undefined>((resolve) => {
    const stop = () => resolve(undefined);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    watchLauncher(stop);
    starting = runService(config, resolve);
    starting.then(onReady).catch(resolve);
  });
  const failure = await stopped;
  // Asked to stop while it starts, it is stopped as soon as it can be.
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  if (failure) throw failure;
}
