import { Resolver } from "node:dns/promises";

/** All addresses of a name, IPv4 and IPv6; fails if there is none. */
export type ResolveHost = (host: string) => Promise<string[]>;

const attemptTimeoutMs = 2_500;
const attempts = 2;

/**
 * Queries the name servers directly. `dns.lookup` would block one of the four threads of the process's pool for as long as
 * a hostile name server delays its answer, and so delay file access and other lookups. The drawback is that the hosts
 * file is not read. `localhost` is resolved as RFC 6761 says.
 */
export function createResolveHost(): ResolveHost {
  const resolver = new Resolver({ timeout: attemptTimeoutMs, maxTimeout: attemptTimeoutMs, tries: attempts });
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
