import { isProductSearchError } from "./failures.ts";

/** Where the partner's code has called the client. */
export interface CallSite {
  stack?: string;
}

type Capture = (target: object, above?: (...given: never[]) => unknown) => void;

/** The calls that have led here, without those from `above` on. Must be called before anything is awaited. */
export function callSite(above?: (...given: never[]) => unknown): CallSite {
  const { captureStackTrace }: { captureStackTrace?: Capture } = Error;
  if (!captureStackTrace) return {};
  const site: CallSite = {};
  captureStackTrace(site, above);
  return site;
}

/**
 * Gives an error of the client the stack of the call. Its own begins where the response was read, after everything that the partner
 * has written is gone from it.
 */
export function showCallSite(error: unknown, { stack }: CallSite): unknown {
  if (!isProductSearchError(error) || stack === undefined) return error;
  const frames = stack.slice(stack.indexOf("\n"));
  Object.defineProperty(error, "stack", { value: `${error.name}: ${error.message}${frames}` });
  return error;
}
