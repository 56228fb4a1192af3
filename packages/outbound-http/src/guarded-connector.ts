import { isIPv6, type LookupFunction } from "node:net";
import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import { buildConnector } from "undici";
import type { ResolveHost } from "./resolve-host.ts";
import { literalHost, type TargetPolicy } from "./target-policy.ts";

export interface GuardedConnectorSettings {
  policy: TargetPolicy;
  resolveHost: ResolveHost;
  connectTimeoutMs: number;
  /** Certificates to trust instead of the built-in authorities. */
  ca?: string;
}

/**
 * Opens sockets to checked addresses only. It connects to the same addresses of the DNS answer that it checked, so a name
 * server gains nothing by sending another answer afterwards. IP address literals are never looked up: they are checked
 * here as well.
 */
export function createGuardedConnector(settings: GuardedConnectorSettings): buildConnector.connector {
  const connectors = {
    "https:": plainConnector(settings, "https:"),
    "http:": plainConnector(settings, "http:"),
  };
  return (options, callback) => {
    const protocol = options.protocol === "https:" ? "https:" : "http:";
    try {
      const literal = literalHost(options.hostname);
      if (literal !== undefined) settings.policy.assertAddresses([literal], options.hostname, protocol);
    } catch (error) {
      callback(error instanceof Error ? error : new Error("The address was not checked"), null);
      return;
    }
    connectors[protocol](options, callback);
  };
}

function plainConnector(
  { policy, resolveHost, connectTimeoutMs, ca }: GuardedConnectorSettings,
  protocol: string,
): buildConnector.connector {
  const lookup: LookupFunction = (host, { all }, done) => {
    judgedAddresses().then(
      (addresses) =>
        all ? done(null, addresses) : done(null, addresses[0]?.address ?? "", addresses[0]?.family),
      (error: NodeJS.ErrnoException) => done(error, []),
    );

    async function judgedAddresses() {
      const addresses = await resolveHost(host).catch((cause: unknown) => {
        throw new OutboundError("connection", `The name "${host}" does not resolve.`, { cause });
      });
      policy.assertAddresses(addresses, host, protocol);
      return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    }
  };
  return buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    lookup,
    autoSelectFamily: true,
    ...(ca === undefined ? {} : { ca }),
  });
}
