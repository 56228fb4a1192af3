import { ApiError } from "@product-search/core/errors.ts";

/** The first match is used: an error code of PostgreSQL or of the system, the problem, and the remedy. */
const faults: readonly [RegExp, string, string][] = [
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT)$/,
    "cannot be reached",
    "Check host and port in DATABASE_URL, and that the server runs.",
  ],
  [/^28/, "refuses this user", "Check user and password in DATABASE_URL, and the server's pg_hba.conf."],
  [/^3D000$/, "does not exist", "Create it (createdb), or correct its name in DATABASE_URL."],
  [
    /^42501$/,
    "lets this user not do what is needed",
    "Grant it the rights that docs/scale.md lists, or let a user who has them run `pnpm api doctor` once.",
  ],
  [/^53300$/, "has no connection left", "Raise max_connections, or set up PgBouncer: see docs/scale.md."],
  [/^57P0/, "is starting or shutting down", "Start again in a moment."],
  [/^53100$/, "cannot be written: its disk is full", "Free space and start again: nothing is lost."],
];

/** Adds the database and the remedy, which PostgreSQL's message lacks. Other errors are returned unchanged. */
export function explainPostgresError(thrown: unknown, url: string): unknown {
  const error = thrown instanceof ApiError ? thrown.cause : thrown;
  if (!(error instanceof Error)) return error;
  const code = errorCode(error);
  const [, what, remedy] = faults.find(([codes]) => codes.test(code)) ?? [];
  if (what === undefined) {
    if (!/timeout/i.test(error.message)) return error;
    return explained(
      url,
      "does not respond",
      error,
      "Check host and port in DATABASE_URL, and firewalls between.",
    );
  }
  return explained(url, what, error, remedy ?? "");
}

function explained(url: string, what: string, error: Error, remedy: string): Error {
  const said = error.message || errorCode(error);
  return new Error(`The database ${nameOf(url)} ${what} (${said}). ${remedy}`, { cause: error });
}

/** Without user and password, because errors are logged. */
export function nameOf(url: string): string {
  if (!URL.canParse(url)) return "in DATABASE_URL";
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/**
 * The code of PostgreSQL (five characters) or of the system. If several addresses were tried, the code of the first.
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error instanceof AggregateError && !("code" in error)) return errorCode(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
