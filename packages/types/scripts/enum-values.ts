/** The part of an OpenAPI document that lists the values of a type. */
export interface EnumSource {
  components: { schemas: Record<string, { enum?: readonly string[] }> };
}

/**
 * A constant for each schema that is a choice of values: `WebhookType` gets `webhookTypeValues`. Error codes are in
 * `statusOfCode`.
 */
export function enumValues({ components }: EnumSource) {
  const lists = Object.entries(components.schemas).flatMap(([name, { enum: values }]) =>
    values !== undefined && values.length > 1 && !name.endsWith("Code")
      ? [{ type: name, constant: `${name[0]?.toLowerCase()}${name.slice(1)}Values`, values }]
      : [],
  );
  const each = (line: (list: (typeof lists)[number]) => string) => lists.map(line).join("");
  return {
    declaration: each(
      ({ type, constant, values }) =>
        `/** All values of \`${type}\`. */\nexport declare const ${constant}: readonly ${JSON.stringify(values).replaceAll(",", ", ")};\n`,
    ),
    module: each(({ constant, values }) => `export const ${constant} = ${JSON.stringify(values)};\n`),
    commonJs: each(({ constant, values }) => `exports.${constant} = ${JSON.stringify(values)};\n`),
  };
}
