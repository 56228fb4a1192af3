import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

const maxExamples = 5;

/** Searches that find something in this catalog: what the service suggests for its largest categories, or other names. */
export function useExampleQueries(topics: readonly string[]): readonly string[] {
  const { client, token } = useService();
  const names = topics.slice(0, maxExamples);
  const request = useRequest(names.length > 0 ? JSON.stringify([token, names]) : undefined, (signal) =>
    Promise.all(
      names.map(async (name) => {
        const { queries } = await client.suggest({ q: [...name].slice(0, 100).join("") }, { signal });
        return exampleOf(queries) ?? name.toLowerCase();
      }),
    ),
  );
  return [...new Set(request.response ?? [])];
}

/** Two or three words say more than one. */
function exampleOf(queries: readonly string[]): string | undefined {
  return queries.find((query) => /^\S+ \S+(?: \S+)?$/.test(query)) ?? queries[0];
}
