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
