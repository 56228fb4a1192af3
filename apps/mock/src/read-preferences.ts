import { MockError } from "./mock-error.ts";

/** What a request asks of the mock in its `Prefer` header (RFC 7240). */
export interface Preferences {
  code?: number;
  exampleKey?: string;
  dynamic: boolean;
  seed?: string;
}

/** Reads `Prefer: code=404, example=none, dynamic=true, seed=1`. */
export function readPreferences(header: string | undefined): Preferences {
  const given = new Map(
    (header ?? "").split(/[,;]/).map((preference) => {
      const [name = "", value = ""] = preference.split("=", 2);
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")];
    }),
  );
  const { code, example, dynamic = "false", seed } = Object.fromEntries(given);
  if (code !== undefined && !/^[2-5]\d\d$/.test(code))
    throw new MockError(400, `Prefer: code=${code} is no status. Write code=404.`);
  if (!/^(true|false)$/.test(dynamic))
    throw new MockError(400, `Prefer: dynamic=${dynamic} is neither true nor false.`);
  return {
    dynamic: dynamic === "true",
    ...(code !== undefined && { code: Number(code) }),
    ...(example !== undefined && { exampleKey: example }),
    ...(seed !== undefined && { seed }),
  };
}
