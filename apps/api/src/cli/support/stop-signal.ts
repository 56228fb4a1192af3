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
