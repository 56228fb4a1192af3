import type { Target } from "./partner.ts";

/** One request for each scope that changes nothing. */
const probes = { search: "/search/suggestions?q=a", webhooks: "/webhooks" } as const;

/** Asks the service which scope each token lacks. Throws for a token that lacks none, or that the service does not know. */
export async function sortByMissingScope(
  baseUrl: string,
  tokens: readonly string[],
): Promise<NonNullable<Target["tokensWithout"]>> {
  const without: NonNullable<Target["tokensWithout"]> = {};
  for (const token of tokens) {
    const statusOf = async (path: string) =>
      (await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })).status;
    const [search, webhooks] = [await statusOf(probes.search), await statusOf(probes.webhooks)];
    if (search === 403) without.search = token;
    else if (webhooks === 403) without.webhooks = token;
    else
      throw new Error(
        `--narrow-token: the token lacks no scope (${search} for search, ${webhooks} for webhooks).`,
      );
  }
  return without;
}
