import { OutboundError } from "@product-search/core/ports/outbound-http.ts";

/** Translates a failure into the terms of the port. The cause has the details; the message is safe to show. */
export function toOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return new OutboundError("too_large", `"${host}" sent headers that are too large.`, options);
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code)) {
    return new OutboundError("timeout", `"${host}" did not respond in time.`, options);
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|HOSTNAME_MISMATCH|EPROTO/.test(code)) {
    return new OutboundError("tls", `The TLS connection to "${host}" failed (${code}).`, options);
  }
  return new OutboundError("connection", `The connection to "${host}" failed (${code}).`, options);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return "connection failed";
}
