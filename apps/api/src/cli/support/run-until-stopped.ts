import type { Config } from "../../config.ts";
import { type RunningService, runService } from "../../runtime/roles/main-thread.ts";
import { watchLauncher } from "./watch-launcher.ts";

/** Runs the service until a signal stops it, or until the npx that launched it is gone. */
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
  // A stop during the start takes effect when the start is complete.
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  if (failure) throw failure;
}

/** Aborts on the first Ctrl-C or SIGTERM, so that work can end cleanly. The second one ends the process as usual. */
export function stopSignal(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return {
    signal: controller.signal,
    end() {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
    },
  };
}
