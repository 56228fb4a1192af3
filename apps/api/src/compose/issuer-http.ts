import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import type { Config } from "../config.ts";

/** To the authorization server of AGENT_ISSUER, if there is one. Its metadata may name addresses elsewhere, so it is guarded. */
export function composeIssuerHttp({
  agentIssuer,
  fetchAllowNetworks,
}: Pick<Config, "agentIssuer" | "fetchAllowNetworks">): OutboundHttp | undefined {
  if (agentIssuer === undefined) return undefined;
  // Plain http is only for this machine, which the setting itself names then.
  const own = new URL(agentIssuer).protocol === "http:" ? ["127.0.0.0/8", "::1/128"] : [];
  return createUndiciOutboundHttp({ allowNetworks: [...fetchAllowNetworks, ...own], httpsOnly: true });
}
