import { isPublicAddress, literalHost } from "@product-search/core/domain/networks.ts";
import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import ipaddr from "ipaddr.js";

/**
 * Ports of protocols other than HTTP, so that nobody can make this service write to a mail or database server: the "bad
 * ports" of https://fetch.spec.whatwg.org/#port-blocking, and those of databases, caches and the control interfaces of
 * containers and clusters, which are often open inside a network.
 */
const blockedPorts: ReadonlySet<number> = new Set([
  // The list of the Fetch standard.
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // Windows shares and remote desktop, Docker, etcd, kubelet.
  445, 3389, 5900, 2375, 2376, 2379, 2380, 10250, 10255,
  // MSSQL, Oracle, MySQL, PostgreSQL, CouchDB, Cassandra, Redis, Elasticsearch, memcached, MongoDB.
  1433, 1521, 3306, 5432, 5984, 9042, 6379, 9200, 9300, 11211, 27017,
]);

export interface TargetPolicySettings {
  /** CIDR ranges of networks that may be reached although they are not public. They must be valid. */
  allowNetworks: readonly string[];
  /** Plain http only inside the allowed networks. */
  httpsOnly: boolean;
}

/** Which targets may be connected to. Both checks fail with `forbidden_target`. */
export interface TargetPolicy {
  /** Checks everything that the URL itself shows: scheme, credentials, port, and an IP address literal. */
  parse(address: string, base?: URL): URL;
  /**
   * Checks all addresses of a name, or the one literal. One forbidden address is enough to refuse the name. A name without
   * any address is accepted, unless plain http needs an address inside the allowed networks.
   */
  assertAddresses(addresses: readonly string[], host: string, protocol: string): void;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

export function createTargetPolicy({ allowNetworks, httpsOnly }: TargetPolicySettings): TargetPolicy {
  const networks = allowNetworks.map((network): Network => ipaddr.parseCIDR(network));

  function assertAddresses(addresses: readonly string[], host: string, protocol: string): void {
    if (addresses.length === 0 && httpsOnly && protocol === "http:") throw plainHttp(host);
    for (const text of addresses) {
      const address = ipaddr.process(text);
      if (networks.some((network) => contains(network, address))) continue;
      if (httpsOnly && protocol === "http:") throw plainHttp(host);
      if (!isPublicAddress(text)) {
        throw forbidden(`"${host}" does not have only public IP addresses: use a host that does`);
      }
    }
  }

  function parse(address: string, base?: URL): URL {
    const url = URL.parse(address, base);
    if (url === null) throw forbidden("The URL is not valid: write it as https://host/path");
    assertForm(url);
    const host = literalHost(url.hostname);
    if (host !== undefined) assertAddresses([host], url.hostname, url.protocol);
    return url;
  }

  return { parse, assertAddresses };
}

function assertForm(url: URL): void {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw forbidden(`The scheme "${url.protocol.slice(0, -1)}" is not allowed: use https`);
  }
  if (url.username !== "" || url.password !== "") {
    throw forbidden("Credentials in the URL are not allowed: remove the part before the @");
  }
  if (url.port !== "" && blockedPorts.has(Number(url.port))) {
    throw forbidden(
      `Port ${url.port} is not allowed: it belongs to another protocol; use 443 or another port`,
    );
  }
}

function contains([base, bits]: Network, address: Address): boolean {
  if (base instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(base, bits);
  return address instanceof ipaddr.IPv6 && address.match(base, bits);
}

function plainHttp(host: string): OutboundError {
  return forbidden(`Plain http to "${host}" is not allowed: use https`);
}

function forbidden(message: string): OutboundError {
  return new OutboundError("forbidden_target", `${message}.`);
}
