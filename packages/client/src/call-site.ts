import { isProductSearchError } from "./failures.ts";

/** Where the partner's code has called the client. */
export interface CallSite {
  stack?: string;
}

type Capture = (target: object, above?: (...given: never[]) => unknown) => void;

/** The stack frames that led here, without those from `above` on. Call it before the first await. */
export function callSite(above?: (...given: never[]) => unknown): CallSite {
  const { captureStackTrace }: { captureStackTrace?: Capture } = Error;
  if (!captureStackTrace) return {};
  const site: CallSite = {};
  captureStackTrace(site, above);
  return site;
}

/**
 * Gives an error of the client the stack of the call. The error's own stack begins where the response was read, and
 * does not contain the partner's code.
 */
export function showCallSite(error: unknown, { stack }: CallSite): unknown {
  if (!isProductSearchError(error) || stack === undefined) return error;
  const frames = stack.slice(stack.indexOf("\n"));
  Object.defineProperty(error, "stack", { value: `${error.name}: ${error.message}${frames}` });
  return error;
}
