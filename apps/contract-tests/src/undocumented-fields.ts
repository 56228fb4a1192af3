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
