import { ApiError } from "@product-search/core/errors.ts";
import { retry } from "@product-search/core/mechanisms/retry.ts";
import {
  BinaryOperationNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  OperatorNode,
  PrimitiveValueListNode,
  type QueryId,
  ValueListNode,
  ValueNode,
} from "kysely";

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

/**
 * Class 22 is invalid data, 23 a violated constraint, and P0001 an error of a trigger: these are errors of the item.
 */
const itemFaults = /^(22|23|P0001$)/;

/** Whether the server or the connection has an error, and not the item: then every other item would fail as well. */
export function isServerError(error: unknown): boolean {
  if (error instanceof ApiError) return true;
  const code = errorCode(error);
  return /^[0-9A-Z]{5}$/.test(code) && !itemFaults.test(code);
}

/** PostgreSQL ended this transaction because of a deadlock. A retry succeeds. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === "40P01" || errorCode(error) === "40001";
}

/** A lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === "55P03";
}

/** Runs a whole transaction again if PostgreSQL ended it because of a deadlock. */
export function retryDeadlocks<Result>(transact: () => Promise<Result>): Promise<Result> {
  return retry(transact, { maxAttempts: 5, isWorthRetrying: isDeadlock });
}

/**
 * PostgreSQL cannot store U+0000 and refuses a statement that has it in a parameter, with an error that looks like a fault
 * of the service. But no stored text is equal to such a text, so a comparison with it is simply false: identifiers
 * from clients that contain it are absent, as they are in SQLite. Writing it is still an error.
 */
export function createUnstorableTextPlugin(): KyselyPlugin {
  const transformer = new UnstorableText();
  return {
    // The values of an insert are not compared, and there may be thousands.
    transformQuery: ({ node, queryId }) =>
      node.kind === "InsertQueryNode" ? node : transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

class UnstorableText extends OperationNodeTransformer {
  protected override transformBinaryOperation(
    node: BinaryOperationNode,
    queryId?: QueryId,
  ): BinaryOperationNode {
    const { operator, rightOperand: right } = node;
    const name = OperatorNode.is(operator) ? operator.operator : "";
    if (name === "=" && ValueNode.is(right) && isUnstorable(right.value)) return never;
    if (name === "in" && PrimitiveValueListNode.is(right) && right.values.some(isUnstorable)) {
      const values = right.values.filter((value) => !isUnstorable(value));
      if (values.length === 0) return never;
      return BinaryOperationNode.create(node.leftOperand, operator, PrimitiveValueListNode.create(values));
    }
    if (name === "in" && ValueListNode.is(right)) {
      const values = right.values.filter((value) => !(ValueNode.is(value) && isUnstorable(value.value)));
      if (values.length === 0) return never;
      if (values.length < right.values.length)
        return BinaryOperationNode.create(node.leftOperand, operator, ValueListNode.create(values));
    }
    return super.transformBinaryOperation(node, queryId);
  }
}

/** `1 = 0` */
const never = BinaryOperationNode.create(
  ValueNode.createImmediate(1),
  OperatorNode.create("="),
  ValueNode.createImmediate(0),
);

function isUnstorable(value: unknown): boolean {
  return typeof value === "string" && value.includes("\u0000");
}
