import { ApiError } from "@product-search/core/errors.ts";
import { readChange, toChangeState } from "../service/change-product.ts";
import type { Service } from "../service/create-service.ts";
import { parseJson, readText } from "./read-body.ts";
import type { Incoming } from "./respond.ts";
import type { Response } from "./response.ts";

const changesPath = "/__mock/changes";

/** What the mock serves outside the base path; undefined for all else. */
export async function respondBeside(
  { service, document }: { service: Service | undefined; document: object },
  { request, path }: Incoming,
): Promise<Response | undefined> {
  if (path === changesPath) {
    if (request.method !== "POST")
      throw new ApiError(
        "method_not_allowed",
        `${request.method} is not supported for this path. Use POST.`,
        {
          headers: { allow: "POST" },
        },
      );
    return respondToChange(service, parseJson(await readText(request)));
  }
  if (path === "/healthz") return { statusCode: 200, headers: {}, body: { status: "ok" } };
  if (path === "/openapi.json") return { statusCode: 200, headers: {}, body: document };
  const picture = service?.readPicture(path);
  return picture && { statusCode: 200, headers: { "content-type": "image/jpeg" }, body: picture };
}

async function respondToChange(service: Service | undefined, body: unknown): Promise<Response> {
  if (service === undefined)
    throw new ApiError(
      "not_found",
      "A mock without state has no products to change. Start it without --stateless.",
    );
  const { previous, current } = await service.change(readChange(body));
  const data = { productId: current.id, previous: toChangeState(previous), current: toChangeState(current) };
  return { statusCode: 200, headers: {}, body: { success: true, message: "Product changed", data } };
}
