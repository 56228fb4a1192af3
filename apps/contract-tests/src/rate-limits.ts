import { setHeader } from "./outgoing-request.ts";
import { Skip } from "./skip.ts";
import type { TriggerInput } from "./trigger-input.ts";

/** More than the limits that services have by default, and an end where there is none. */
const maxRequests = 5000;
const atOnce = 20;
/** Of an address that nobody else uses: reserved for documentation. */
const otherAddress = "198.51.100.7";

/** Uses up a limit until the service says so. The tests of 429 come last, because others would fail by it. */
export async function exceedRateLimit({ request, operation, target }: TriggerInput): Promise<void> {
  if (!target.load) throw new Skip("would use up the rate limits; --allow-load permits it");
  const { token, trustsForwardedFor } = target.load;
  const isByAddress = operation.scope === undefined;
  const headers: Record<string, string> = isByAddress
    ? trustsForwardedFor
      ? { "x-forwarded-for": otherAddress }
      : {}
    : { authorization: `Bearer ${token}` };
  // Without its parameter, so that it costs the service as little as can be.
  const url = `${target.baseUrl}${isByAddress ? "/search/trial" : "/search/marketplace-a"}`;
  const ask = async () => (await fetch(url, { headers })).status;
  let isLimited = (await ask()) === 429;
  for (let sent = 0; sent < maxRequests && !isLimited; sent += atOnce)
    isLimited = (await Promise.all(Array.from({ length: atOnce }, ask))).includes(429);
  if (!isLimited)
    throw new Skip(`${maxRequests} requests reached no rate limit: the service has none, or a higher one`);
  for (const [name, value] of Object.entries(headers)) setHeader(request, name, value);
}
