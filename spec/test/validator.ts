import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import type { Schema } from "../scripts/document.ts";

// A row to write says what an object of it has, and may be anything else too: it is then refused alone.
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false });
// What the service reads beside the standard.
for (const keyword of ["x-status", "x-checked-one-by-one", "x-values", "x-value-prefix"])
  ajv.addKeyword(keyword);
addFormatsModule.default(ajv);
ajv.addKeyword("example");

/** The violations of the schema; empty if the value is valid. */
export function violations(schema: Schema, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
