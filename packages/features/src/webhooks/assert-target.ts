import { ApiError } from "@product-search/core/errors.ts";
import { OutboundError, type OutboundHttp } from "@product-search/core/ports/outbound-http.ts";

/** Refuses a target that deliveries may never reach. */
export async function assertTarget(
  webhookHttp: Pick<OutboundHttp, "checkTarget">,
  url: string,
): Promise<void> {
  try {
    await webhookHttp.checkTarget(url);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new ApiError("webhook_target_forbidden", `webhookUrl: ${cause.message}`, { cause });
  }
}
