import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import { negotiate } from "@product-search/http-rules/requests/accept.ts";
import {
  bodyLimitBytes,
  bodyTooLarge,
  encodedBody,
  wrongMediaType,
} from "@product-search/http-rules/responses/error-body.ts";
import type { Operation } from "@product-search/spec/operations";

/** What is refused whatever the body holds, in the service's order: size, media type, accept. Gives the type to respond with. */
export function checkContent({ method, produces }: Operation, headers: IncomingHttpHeaders): string {
  const length = headers["content-length"];
  if (length !== undefined && Number(length) > bodyLimitBytes) throw bodyTooLarge();
  if (method !== "GET") checkMediaType(headers);
  const accepts = negotiate(headers.accept, produces);
  if (accepts !== undefined) return accepts;
  throw new ApiError(
    "not_acceptable",
    `Accept: ${produces.join(" or ")} is what this operation responds with.`,
  );
}

function checkMediaType(headers: IncomingHttpHeaders): void {
  const length = headers["content-length"];
  const type = headers["content-type"];
  const encoding = headers["content-encoding"];
  const isEmpty = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") throw encodedBody();
  if (type === undefined ? !isEmpty : !/^application\/json *(;|$)/i.test(type)) throw wrongMediaType(type);
}
