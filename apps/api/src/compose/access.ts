import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { createDerivedKeys } from "@product-search/stores/secret-box/secret-keys.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

/** For an HTTP thread: who works in the console, and the keys that sign their sessions. */
export function composePeople(
  config: Config,
  { peopleStore, unitOfWork }: Pick<Stores, "peopleStore" | "unitOfWork">,
) {
  return { peopleStore, unitOfWork, sessionKeys: createDerivedKeys(config, "console sessions") };
}

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
