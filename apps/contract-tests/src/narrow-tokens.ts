import type { Target } from "./partner.ts";

/** One request for each scope that changes nothing. */
const probes = {
  search: ["GET", "/search/suggestions?q=a"],
  webhooks: ["GET", "/webhooks"],
  catalog: ["DELETE", "/products/no-such-thing"],
  merchandising: ["GET", "/synonyms?origin=removed"],
} as const;

/** Asks the service which scopes each token lacks. Throws for a token that lacks none, or that the service does not know. */
export async function sortByMissingScope(
  baseUrl: string,
  tokens: readonly string[],
): Promise<NonNullable<Target["tokensWithout"]>> {
  const without: NonNullable<Target["tokensWithout"]> = {};
  for (const token of tokens) {
    const statusOf = async (method: string, path: string) =>
      (await fetch(baseUrl + path, { method, headers: { authorization: `Bearer ${token}` } })).status;
    const statuses: string[] = [];
    for (const [scope, [method, path]] of Object.entries(probes)) {
      const status = await statusOf(method, path);
      statuses.push(`${status} for ${scope}`);
      if (status === 403) without[scope] = token;
    }
    if (!Object.values(without).includes(token))
      throw new Error(`--narrow-token: the token lacks no scope (${statuses.join(", ")}).`);
  }
  return without;
}
