import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import Dredd from "dredd";
import { type Operation, readOperations, Skip, specPath, type TriggerInput } from "./operations.ts";
import { createPartner, type Partner, type Target } from "./partner.ts";
import { findTrigger, smallImage } from "./status-triggers.ts";

export interface Result {
  operationId: string;
  status: string;
  mediaType: string;
  outcome: "passed" | "failed" | "skipped";
  /** The reason why it failed or was skipped. */
  message: string;
  milliseconds: number;
}

/** The part of Dredd's own transaction object that is used here. */
interface Transaction {
  id: string;
  fullPath: string;
  skip: boolean;
  fail?: string;
  request: { method: string; uri: string; headers: Record<string, string>; body: string };
  expected: { statusCode: string; headers: Record<string, string>; body?: unknown; bodySchema?: unknown };
  real: { headers: Record<string, string>; body: string };
  startedAt?: number;
}

interface Plan {
  hooksLoaded: boolean;
  /** Keeps the transactions that run, in their order. */
  arrange(transactions: Transaction[]): void;
  prepare(transaction: Transaction): Promise<void>;
  beforeValidation(transaction: Transaction): void;
}

export interface RunOptions {
  target: Target;
  hookFile?: string;
  /** Whether a field that the document does not name is a failure, too. */
  strict?: boolean;
  /** Of these operations only. */
  operationIds?: readonly string[];
}

const planKey = Symbol.for("contract-tests plan");

/** Checks every operation, unless some are named, and every documented status of the target, one after the other. */
export async function runDredd(options: RunOptions): Promise<Result[]> {
  const partner = createPartner(options.target);
  let results: Result[];
  try {
    results = await runAll(options, partner);
  } catch (error) {
    await partner.undoAll().catch(() => {});
    await partner.removeAllWebhooks().catch(() => {});
    throw error;
  }
  await partner.undoAll();
  const left = await partner.removeAllWebhooks();
  if (left !== undefined && left > 0)
    throw new Error(`${left} webhooks of ${partner.webhookUrl} could not be deleted. Delete them yourself.`);
  return results;
}

async function runAll(
  { target, hookFile, strict = false, operationIds }: RunOptions,
  partner: Partner,
): Promise<Result[]> {
  const operations = readOperations();
  const isIncluded = ({ operationId }: Operation) => operationIds?.includes(operationId) ?? true;
  const verdicts = new Map<Transaction["request"], Result>();
  const ids = await prepareIds(partner);

  const plan: Plan = {
    hooksLoaded: false,
    arrange(transactions) {
      const isLast = ({ expected }: Transaction) => Number(expected.statusCode === "429");
      const included = transactions.filter((one) => isIncluded(findOperation(operations, one)));
      included.sort((one, other) => isLast(one) - isLast(other));
      transactions.splice(0, transactions.length, ...included);
    },
    async prepare(transaction) {
      const operation = findOperation(operations, transaction);
      const { statusCode } = transaction.expected;
      const mediaType = transaction.expected.headers["Content-Type"] ?? "application/json";
      const result: Result = {
        operationId: operation.operationId,
        status: statusCode,
        mediaType,
        outcome: "failed",
        message: "was not run",
        milliseconds: 0,
      };
      verdicts.set(transaction.request, result);
      await applyTrigger(transaction, operation, result);
      expectDocumented(transaction, operation, mediaType);
    },
    beforeValidation(transaction) {
      const { real } = transaction;
      const type = real.headers["content-type"];
      if (type) real.headers["content-type"] = type.replace(/;\s*charset=utf-8$/i, "");
      const schema = strict ? findSchema(transaction) : undefined;
      const unknown = schema === undefined ? [] : undocumentedFields(schema, real.body);
      if (unknown.length > 0)
        transaction.fail = `fields that the document does not name: ${unknown.join(", ")}`;
    },
  };

  function findSchema(transaction: Transaction): unknown {
    const { responses } = findOperation(operations, transaction);
    return responses[transaction.expected.statusCode]?.schemas["application/json"];
  }

  async function applyTrigger(transaction: Transaction, operation: Operation, result: Result): Promise<void> {
    const skip = (reason: string) => {
      transaction.skip = true;
      result.message = reason;
    };
    const trigger = findTrigger(operation.operationId, result.status);
    if (!trigger) {
      transaction.fail = `nobody says how to provoke ${result.status} of ${operation.operationId}`;
      return;
    }
    if ("impossible" in trigger) return skip(trigger.impossible);
    const request = {
      path: transaction.fullPath,
      headers: {
        ...transaction.request.headers,
        authorization: `Bearer ${target.token}`,
        accept: result.mediaType,
      },
      body: transaction.request.body ?? "",
    };
    for (const name of Object.keys(request.headers)) {
      if (/^(Authorization|Accept|Idempotency-Key)$/.test(name))
        Reflect.deleteProperty(request.headers, name);
    }
    try {
      await trigger({ request, operation, partner, target, ids } satisfies TriggerInput);
    } catch (error) {
      if (error instanceof Skip) return skip(error.message);
      throw error;
    }
    transaction.fullPath = request.path;
    transaction.request.headers = request.headers;
    transaction.request.body = request.body;
  }

  Object.assign(globalThis, { [planKey]: plan });
  silenceBuiltInReporter();
  const emitter = new EventEmitter();
  record(emitter, verdicts);
  const dredd = new Dredd({
    endpoint: target.baseUrl,
    path: [specPath],
    hookfiles: [hookFile ?? fileURLToPath(new URL("./hooks.cjs", import.meta.url))],
    loglevel: "error",
    reporter: [],
    emitter,
    color: false,
  });
  const failure = await new Promise<Error | undefined>((resolve) =>
    dredd.run((error) => resolve(error ?? undefined)),
  );
  Reflect.deleteProperty(globalThis, planKey);
  if (failure) throw failure;
  if (!plan.hooksLoaded) throw new Error("Dredd skipped the hook file: nothing was really tested.");
  assertComplete(operations.filter(isIncluded), [...verdicts.values()]);
  return [...verdicts.values()];
}

/** What Dredd must compare the response with: the real schema, and the headers that are always present. */
function expectDocumented(transaction: Transaction, operation: Operation, mediaType: string): void {
  const { expected } = transaction;
  const response = operation.responses[expected.statusCode];
  delete expected.body;
  if (mediaType === "application/json") expected.bodySchema = response?.schemas[mediaType];
  else delete expected.bodySchema;
  expected.headers = { "content-type": mediaType, "x-request-id": "any" };
  for (const name of response?.requiredHeaders ?? []) expected.headers[name] = "any";
}

/** Dredd prints whole bodies, and no setting turns this off. Our own report shows what matters. */
function silenceBuiltInReporter(): void {
  const require = createRequire(import.meta.url);
  const { default: output } = require("dredd/build/reporters/reporterOutputLogger");
  output.transports.console.silent = true;
}

function record(emitter: EventEmitter, verdicts: Map<Transaction["request"], Result>): void {
  interface Test {
    request: Transaction["request"];
    message: string;
    startedAt: number;
    actual?: { statusCode: string | number; body: string };
    errors?: { message: string }[];
  }
  const settle = (outcome: Result["outcome"]) => (test: Test) => {
    const result = verdicts.get(test.request);
    if (!result) return;
    result.outcome = outcome;
    result.milliseconds = Date.now() - test.startedAt;
    if (outcome === "passed") result.message = "";
    if (outcome === "failed") {
      const received = test.actual
        ? ` — responded with ${test.actual.statusCode} ${String(test.actual.body).slice(0, 500)}`
        : "";
      result.message = `${test.message.trim() || (test.errors ?? []).map((error) => error.message).join("; ")}${received}`;
    }
  };
  emitter.on("start", (_documents: unknown, done: () => void) => done());
  emitter.on("end", (done: () => void) => done());
  emitter.on("test pass", settle("passed"));
  emitter.on("test fail", settle("failed"));
  emitter.on("test skip", settle("skipped"));
  emitter.on("test error", (error: Error, test: Test) =>
    settle("failed")({ ...test, message: error.message }),
  );
}

/** A status that Dredd left out must not count as tested. */
function assertComplete(operations: readonly Operation[], results: readonly Result[]): void {
  for (const { operationId, responses } of operations) {
    for (const status of Object.keys(responses)) {
      if (!results.some((result) => result.operationId === operationId && result.status === status)) {
        throw new Error(`Dredd made no request for ${operationId} ${status}.`);
      }
    }
  }
}

function findOperation(operations: readonly Operation[], { request }: Transaction): Operation {
  const path = request.uri.split("?")[0] ?? "";
  const found = operations
    .filter(({ method }) => method === request.method)
    .filter((one) => new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
  if (!found)
    throw new Error(`Dredd made a request that the spec does not know: ${request.method} ${request.uri}`);
  return found;
}

/** One existing identifier for each parameter that takes one. */
async function prepareIds(partner: Partner) {
  const webhookId = await partner.webhook();
  return {
    imageId: await partner.imageSlug(smallImage),
    product_id: await partner.productId(),
    webhook_id: webhookId,
    delivery_id: await partner.delivery(webhookId),
  };
}

/** A JSON Schema, whose references lead to `definitions`. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  definitions?: Record<string, Schema>;
}

/** The paths of all fields in a JSON body that its schema does not name. A part that the schema leaves open may have any. */
export function undocumentedFields(schema: unknown, body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const root: Schema = Object(schema);
  return [...new Set(check([root], value, "", root.definitions ?? {}))];
}

function check(
  schemas: Schema[],
  value: unknown,
  path: string,
  definitions: Record<string, Schema>,
): string[] {
  const parts = schemas.flatMap((schema) => partsOf(schema, definitions));
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? []);
    return items.length === 0 ? [] : value.flatMap((item) => check(items, item, `${path}[]`, definitions));
  }
  if (typeof value !== "object" || value === null) return [];
  const isNamed = parts.some(({ properties }) => properties !== undefined);
  const isOpen = parts.some(({ additionalProperties: more }) => more === true || typeof more === "object");
  if (!isNamed || isOpen) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = parts.flatMap(({ properties }) => properties?.[name] ?? []);
    const fieldPath = path === "" ? name : `${path}.${name}`;
    return known.length === 0 ? [fieldPath] : check(known, field, fieldPath, definitions);
  });
}

/** The schema itself and all that it is put together from. Of alternatives, each counts. */
function partsOf(schema: Schema, definitions: Record<string, Schema>): Schema[] {
  const name = schema.$ref?.split("/").at(-1);
  const target = name === undefined ? undefined : definitions[name];
  const { allOf = [], oneOf = [] } = schema;
  const others = [...(target ? [target] : []), ...allOf, ...oneOf];
  return [schema, ...others.flatMap((other) => partsOf(other, definitions))];
}
