import { ApiError } from "../../errors.ts";

/** The token that the header carries; throws the challenge of RFC 6750 when it carries none. */
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

/** The refusal of a token, or of a request without one. */
export function unauthorized(error: string | undefined, description: string): ApiError {
  const detail = error
    ? `, error="${error}", error_description="${description.replaceAll(/["\\]/g, "'")}"`
    : "";
  return new ApiError("unauthorized", `Authorization: ${description}`, {
    headers: { "www-authenticate": `Bearer realm="product-search"${detail}` },
  });
}
