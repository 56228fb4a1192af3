import type { IncomingMessage } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import { bodyTooLarge } from "@product-search/http-rules/responses/response-body.ts";

export const faults = ["timeout", "reset", "malformed", "slow"] as const;
export type Fault = (typeof faults)[number];

/** What a request asks of the mock in its `Prefer` header (RFC 7240). */
export interface Preferences {
  code?: number;
  exampleKey?: string;
  dynamic: boolean;
  seed?: string;
  delayMs: number;
  fault?: Fault;
}

const names = ["code", "example", "dynamic", "seed", "delay", "fault"];
const maxDelayMs = 600_000;

/** Reads `Prefer: code=404, example=none, dynamic=true, seed=1, delay=500, fault=reset`. */
export function readPreferences(header: string | undefined): Preferences {
  const given = readPairs(header ?? "");
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw refusal(`${unknown} is unknown. Send one of ${names.join(", ")}.`);
  const { code, example, dynamic = "false", seed, delay = "0", fault } = given;
  if (code !== undefined && !/^[2-5]\d\d$/.test(code))
    throw refusal(`code=${code} is not a status. Send code=404.`);
  if (!/^(true|false)$/.test(dynamic)) throw refusal(`dynamic=${dynamic} is neither true nor false.`);
  if (!/^\d{1,6}$/.test(delay) || Number(delay) > maxDelayMs)
    throw refusal(`delay=${delay} is not a number of milliseconds from 0 to ${maxDelayMs}.`);
  const known = faults.find((one) => one === fault);
  if (fault !== undefined && known === undefined)
    throw refusal(`fault=${fault} is unknown. Send one of ${faults.join(", ")}.`);
  return {
    dynamic: dynamic === "true",
    delayMs: Number(delay),
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { exampleKey: example }),
    ...(seed !== undefined && { seed }),
    ...(known !== undefined && { fault: known }),
  };
}

/** Whether a documented response is asked for instead of the one that the state gives. */
export function choosesResponse({ code, exampleKey, dynamic }: Preferences): boolean {
  return code !== undefined || exampleKey !== undefined || dynamic;
}

function readPairs(header: string): Record<string, string> {
  const pairs = header
    .split(/[,;]/)
    .filter((preference) => preference.trim() !== "")
    .map((preference): [string, string] => {
      const [name = "", value = ""] = preference.split("=", 2);
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")];
    });
  return Object.fromEntries(pairs);
}

function refusal(fault: string): ApiError {
  return new ApiError("invalid_request", `Prefer: ${fault}`);
}

/** The text of a request's body; empty when there is none. */
export async function readText(request: IncomingMessage, maxBodyBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  // Read to its end even when it is too large: a client sees the response only after it has sent all.
  for await (const piece of request) {
    size += piece.length;
    if (size <= maxBodyBytes) pieces.push(piece);
  }
  if (size > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  return Buffer.concat(pieces).toString("utf8");
}

/** Undefined for an empty body. Keys that would change an object's prototype are refused where the service does. */
export function parseJson(text: string, operationId?: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text, (key, value) => {
      if (key === "__proto__" && operationId !== "upsertProducts")
        throw new SyntaxError("__proto__ is not a field.");
      return value;
    });
  } catch (cause) {
    throw new ApiError("invalid_request", "body: is not valid JSON. Send one JSON object.", { cause });
  }
}
