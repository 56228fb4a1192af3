import { Resolver } from "node:dns/promises";

/** Every address of a name, of both families; fails when there is none. */
export type ResolveHost = (host: string) => Promise<string[]>;

const attemptTimeoutMs = 2_500;
const attempts = 2;

/**
 * Asks the name servers directly. `dns.lookup` would take one of the process's four pool threads for as long
 * as a hostile name server cares to think, and so hold up file access and every other lookup. The price is
 * that the hosts file is not read; `localhost` is answered as RFC 6761 asks.
 */
export function createResolveHost({ nameServers }: { nameServers?: readonly string[] } = {}): ResolveHost {
  const resolver = new Resolver({ timeout: attemptTimeoutMs, maxTimeout: attemptTimeoutMs, tries: attempts });
  if (nameServers) resolver.setServers(nameServers);
  return async (host) => {
    if (/(^|\.)localhost\.?$/.test(host)) return ["127.0.0.1", "::1"];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0) throw new Error(`"${host}" has no address`, { cause: failureOf(answers) });
    return addresses;
  };
}

function failureOf(answers: readonly PromiseSettledResult<string[]>[]): unknown {
  return answers.find((answer) => answer.status === "rejected")?.reason;
}
