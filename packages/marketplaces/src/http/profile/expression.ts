import { compile, type JSONValue, TreeInterpreter } from "@jmespath-community/jmespath";

export type Json = JSONValue;
export type Expression = (value: Json) => Json;

type Node = ReturnType<typeof compile>;

/** The original JMESPath language. Additions of the community edition (variables, the root, padding) can multiply work. */
const allowedNodes = new Set<string>([
  "Field",
  "Index",
  "Slice",
  "Literal",
  "Identity",
  "Current",
  "Subexpression",
  "IndexExpression",
  "Projection",
  "ValueProjection",
  "FilterProjection",
  "Flatten",
  "Pipe",
  "OrExpression",
  "AndExpression",
  "NotExpression",
  "Comparator",
  "MultiSelectList",
  "Function",
]);
const allowedFunctions = new Set([
  "contains",
  "ends_with",
  "keys",
  "length",
  "max",
  "min",
  "not_null",
  "reverse",
  "sort",
  "starts_with",
  "to_array",
  "to_number",
  "type",
  "values",
]);
const maxLength = 300;
const maxNodes = 60;
/** Each list of `[a, b]` may multiply the size of its input by its length. No other node can. */
const maxListNodes = 2;
const maxListLength = 8;

/**
 * A JMESPath expression with bounded cost: at most 60 nodes, each of which reads its input once, and at most two lists
 * that repeat it. There is no loop, no recursion, and no function that makes text longer (`join`, `to_string`).
 */
export function compileExpression(text: string): Expression {
  if (text.length > maxLength) throw new Error(`is longer than ${maxLength} characters; shorten it.`);
  const node = parse(text);
  const count = { nodes: 0, lists: 0 };
  check(node, count);
  if (count.nodes > maxNodes)
    throw new Error(`has ${count.nodes} nodes; at most ${maxNodes} are allowed. Simplify it.`);
  if (count.lists > maxListNodes) {
    throw new Error(
      `has ${count.lists} lists of the form [a, b]; at most ${maxListNodes} are allowed. Simplify it.`,
    );
  }
  return (value) => TreeInterpreter.search(node, value);
}

function parse(text: string): Node {
  try {
    return compile(text);
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`is not a JMESPath expression (${fault}).`, { cause });
  }
}

function check(node: unknown, count: { nodes: number; lists: number }): void {
  if (Array.isArray(node)) {
    for (const child of node) check(child, count);
    return;
  }
  if (typeof node !== "object" || node === null || !("type" in node)) return;
  count.nodes++;
  const type = String(node.type);
  if (!allowedNodes.has(type))
    throw new Error(`uses ${type}, which is not allowed in profiles; see docs/add-a-marketplace.md.`);
  if (type === "Function" && "name" in node && !allowedFunctions.has(String(node.name))) {
    throw new Error(
      `calls ${String(node.name)}(), which profiles may not. Allowed: ${[...allowedFunctions].join(", ")}.`,
    );
  }
  if (type === "MultiSelectList" && "children" in node && Array.isArray(node.children)) {
    count.lists++;
    if (node.children.length > maxListLength) {
      throw new Error(`has a list of more than ${maxListLength} elements; shorten it.`);
    }
  }
  // The value of a literal is data, not part of the expression.
  if (type === "Literal") return;
  for (const child of Object.values(node)) check(child, count);
}
