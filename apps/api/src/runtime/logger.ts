import { type Logger, pino } from "pino";
import type { Config } from "../config.ts";

/** Logs one line of JSON per event to standard output. Never pass it a token, key, image or query text. */
export function createLogger({ logLevel }: Pick<Config, "logLevel">): Logger {
  return pino(
    { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    // Directly to the file descriptor: the standard output of a worker thread goes through the main thread.
    pino.destination({ dest: 1, sync: true }),
  );
}
