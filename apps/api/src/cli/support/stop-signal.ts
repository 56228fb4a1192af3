/** Aborts at the first Ctrl-C or SIGTERM, so that work can end in order; the second one ends the process as usual. */
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
