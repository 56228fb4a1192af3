import ts from "typescript";

const { factory } = ts;

/**
 * Declares each schema under its own name (`type Product`) and refers to it by that name, so that an editor shows
 * `Product` and not `components["schemas"]["Product"]`, which stays valid.
 */
export function nameSchemas(nodes: readonly ts.Node[]): ts.Node[] {
  const schemas = nodes.flatMap(schemasOf);
  const names = new Set(schemas.map(nameOf));
  const refer = (node: ts.Node): ts.Node => {
    const name = schemaReferredTo(node);
    if (name !== undefined && names.has(name)) return factory.createTypeReferenceNode(name);
    return ts.visitEachChild(node, refer, undefined);
  };
  const isAlias = (node: ts.Node) => ts.isTypeAliasDeclaration(node) && names.has(node.name.text);
  return [
    ...nodes
      .filter((node) => !isAlias(node))
      .map((node) => refer(isComponents(node) ? withNamesOnly(node) : node)),
    ...schemas.map((schema) => declarationOf(schema, refer)),
  ];
}

function isComponents(node: ts.Node): node is ts.InterfaceDeclaration {
  return ts.isInterfaceDeclaration(node) && node.name.text === "components";
}

function isSchemas(member: ts.TypeElement): boolean {
  return member.name !== undefined && ts.isIdentifier(member.name) && member.name.text === "schemas";
}

function schemasOf(node: ts.Node): ts.PropertySignature[] {
  if (!isComponents(node)) return [];
  return node.members
    .filter(isSchemas)
    .flatMap((member) =>
      ts.isPropertySignature(member) && member.type !== undefined && ts.isTypeLiteralNode(member.type)
        ? member.type.members.filter(ts.isPropertySignature)
        : [],
    );
}

function nameOf({ name }: ts.PropertySignature): string {
  if (ts.isIdentifier(name)) return name.text;
  throw new Error("The name of a schema is no identifier of TypeScript.");
}

/** `X` of `components["schemas"]["X"]`. */
function schemaReferredTo(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const { objectType } = node.objectType;
  const isOfComponents =
    ts.isTypeReferenceNode(objectType) &&
    ts.isIdentifier(objectType.typeName) &&
    objectType.typeName.text === "components";
  return isOfComponents && textOf(node.objectType.indexType) === "schemas"
    ? textOf(node.indexType)
    : undefined;
}

function textOf(type: ts.TypeNode): string | undefined {
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? type.literal.text : undefined;
}

/** The interface `components` whose schemas are only names. */
function withNamesOnly(components: ts.InterfaceDeclaration): ts.InterfaceDeclaration {
  const names = schemasOf(components).map((schema) =>
    factory.createPropertySignature(
      undefined,
      schema.name,
      undefined,
      factory.createTypeReferenceNode(nameOf(schema)),
    ),
  );
  const members = components.members.map((member) =>
    isSchemas(member)
      ? factory.createPropertySignature(undefined, "schemas", undefined, factory.createTypeLiteralNode(names))
      : member,
  );
  return factory.updateInterfaceDeclaration(
    components,
    components.modifiers,
    components.name,
    components.typeParameters,
    components.heritageClauses,
    members,
  );
}

function declarationOf(schema: ts.PropertySignature, refer: (node: ts.Node) => ts.Node): ts.Node {
  const exported = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const type = schema.type && ts.visitNode(schema.type, refer, ts.isTypeNode);
  if (type === undefined) throw new Error(`The schema ${nameOf(schema)} has no type.`);
  const declaration = factory.createTypeAliasDeclaration(exported, nameOf(schema), undefined, type);
  ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(schema));
  return declaration;
}
