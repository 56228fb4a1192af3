import { compileExpression } from "./expression.ts";
import type { Profile } from "./profile.ts";

export interface ProfileIssue {
  path: (string | number)[];
  message: string;
}

/** Checks what the schema cannot express: URLs, placeholders, expressions and the deployment's currency. */
export function checkProfile(profile: Profile, currency: string): ProfileIssue[] {
  return [
    ...addressIssues(profile),
    ...templateIssues(profile),
    ...expressionIssues(profile),
    ...(profile.currency === currency
      ? []
      : [
          {
            path: ["currency"],
            message: `is ${profile.currency}, but CURRENCY of this deployment is ${currency}. Use a marketplace site with prices in ${currency}.`,
          },
        ]),
  ];
}

function addressIssues({ baseUrl, auth }: Profile): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const check = (path: string[], address: string): void => {
    const fault = addressIssue(address);
    if (fault) issues.push({ path, message: fault });
  };
  check(["baseUrl"], baseUrl);
  if (auth?.kind === "oauth2-client-credentials") check(["auth", "tokenUrl"], auth.tokenUrl);
  return issues;
}

function addressIssue(address: string): string | undefined {
  if (!URL.canParse(address)) return "is not a URL; write one such as https://api.marketplace.example.";
  const url = new URL(address);
  if (url.username || url.password)
    return "holds credentials; name an environment variable under auth instead.";
  if (url.search || url.hash) return "has a query or a fragment; move parameters to request.query.";
  const isOwnNetwork = /^(localhost|[\d.]+|\[.*\])$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isOwnNetwork)) {
    return "must be https: credentials would cross the network readable. Plain http is for literal addresses in FETCH_ALLOW_NETWORKS.";
  }
  return undefined;
}

function templateIssues({ request }: Profile): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const allowed = new Set(request.words ? ["{query}", "{words}"] : ["{query}"]);
  const templates: [(string | number)[], string][] = [
    [["request", "path"], request.path],
    ...Object.entries(request.query ?? {}).map(([name, value]): [string[], string] => [
      ["request", "query", name],
      value,
    ]),
  ];
  const used = templates.flatMap(([path, template]) =>
    (template.match(/\{[a-z]+\}/g) ?? []).map((placeholder) => {
      if (!allowed.has(placeholder)) {
        issues.push({
          path,
          message: `has the unknown placeholder ${placeholder}; allowed: ${[...allowed].join(", ")}.`,
        });
      }
      return placeholder;
    }),
  );
  if (used.length === 0) {
    issues.push({
      path: ["request", "path"],
      message: "does not contain the search text; write {query} in path or query.",
    });
  }
  if (request.words && !request.words.each.includes("{word}")) {
    issues.push({
      path: ["request", "words", "each"],
      message: "must contain {word}, the placeholder for a word.",
    });
  }
  return issues;
}

function expressionIssues({ answer, item, pagination }: Profile): ProfileIssue[] {
  const expressions: [(string | number)[], string][] = [
    [["answer", "items"], answer.items],
    ...(answer.total === undefined ? [] : [[["answer", "total"], answer.total] satisfies [string[], string]]),
    ...(pagination.style === "cursor"
      ? [[["pagination", "next"], pagination.next] satisfies [string[], string]]
      : []),
    ...Object.entries(item).map(([name, mapping]): [string[], string] =>
      typeof mapping === "string" ? [["item", name], mapping] : [["item", name, "path"], mapping.path],
    ),
  ];
  return expressions.flatMap(([path, expression]) => {
    try {
      compileExpression(expression);
      return [];
    } catch (error) {
      return [{ path, message: error instanceof Error ? error.message : String(error) }];
    }
  });
}

/** The environment variables that the profile names. */
export function secretsOf({ auth }: Profile): string[] {
  if (auth === undefined) return [];
  return auth.kind === "api-key" ? [auth.secret] : [auth.clientId, auth.clientSecret];
}
