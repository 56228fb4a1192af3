import { type Logger, pino } from "pino";
import type { Config } from "../config.ts";

/** One line of JSON an event, on standard output. No token, key, picture or query text may be given to it. */
export function createLogger({ logLevel }: Pick<Config, "logLevel">): Logger {
  return pino(
    { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    // Straight to the descriptor: a thread's own standard output would detour over the main thread.
    pino.destination({ dest: 1, sync: true }),
  );
}
