export interface IntervalWhile {
  /** Has no effect while it runs. */
  start(): void;
  stop(): void;
}

/** Calls `tick` at intervals, until it returns false. A timer that always ran would wake an idle thread. */
export function intervalWhile(everyMs: number, tick: () => boolean): IntervalWhile {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    start() {
      timer ??= setInterval(() => tick() || stop(), everyMs).unref();
    },
    stop,
  };
}
