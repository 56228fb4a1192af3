import { ApiError } from "@product-search/core/errors.ts";

/** The token in the header. Throws the challenge of RFC 6750 if there is none. */
export function readToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw unauthorized(undefined, "the token is missing. Send `Authorization: Bearer <ACCESS_TOKEN>`.");
  }
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  if (!match?.[1]) {
    throw unauthorized(
      "invalid_request",
      "the header is malformed. Send `Authorization: Bearer <ACCESS_TOKEN>`.",
    );
  }
  return match[1];
}

/** The error for an invalid or missing token. */
export function unauthorized(error: string | undefined, description: string): ApiError {
  const detail = error
    ? `, error="${error}", error_description="${description.replaceAll(/["\\]/g, "'")}"`
    : "";
  return new ApiError("unauthorized", `Authorization: ${description}`, {
    headers: { "www-authenticate": `Bearer realm="product-search"${detail}` },
  });
}
