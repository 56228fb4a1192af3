import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import type { Schema } from "../scripts/document.ts";

const ajv = new Ajv({ allErrors: true, strict: true });
addFormatsModule.default(ajv);
ajv.addKeyword("example");

/** The violations of the schema; empty if the value is valid. */
export function violations(schema: Schema, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
