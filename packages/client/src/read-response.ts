import { statusOfCode } from "@product-search/types";
import { failed, type ProductSearchError, type ServiceFailure } from "./failures.ts";

/** The HTTP status of a code; undefined for an unknown code. */
export const statusOf = new Map<unknown, number>(Object.entries(statusOfCode));

/** Reads a response completely. Returns a successful one with a body that can be read again; throws for all others. */
export async function readResponse(response: Response): Promise<Response> {
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && (fieldOf(body, "status") === "success" || fieldOf(body, "success") === true)) {
    return new Response(text, { status: response.status, headers: response.headers });
  }
  throw failureOf(response, response.status, body);
}

/** The typed error for an error body. */
export function failureOf(response: Response, status: number, body: unknown): ProductSearchError {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const details = { status, code: fieldOf(body, "code"), body, requestId, retryAfter, response };
  if (isServiceFailure(details)) return failed(messageOf(details.body), details);
  const said = typeof body === "string" ? body : JSON.stringify(body);
  return failed(`The response (status ${status}) is not from the service: ${excerpt(said)}`, {
    ...details,
    code: "unexpected_response",
  });
}

/** Seconds, also of a date. */
export function secondsOf(retryAfter: string | null): number | undefined {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const date = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.ceil(Math.max(0, date - Date.now()) / 1000);
}

function isServiceFailure(details: { status: number; code: unknown }): details is ServiceFailure {
  return statusOf.get(details.code) === details.status;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null
    ? Object.entries(body).find(([key]) => key === name)?.[1]
    : undefined;
}

function messageOf(body: ServiceFailure["body"]): string {
  if ("data" in body) return body.data;
  return "error" in body ? `${body.message}: ${body.error}` : body.message;
}

function excerpt(text: string): string {
  return text === "" ? "it is empty." : text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
