import { asciiUrl } from "@product-search/core/domain/ascii-url.ts";
import { Ajv } from "ajv";
import formats from "ajv-formats";

/** Values of query and path stay text, and nothing is coerced or removed: a request that violates the spec is refused. */
export function createValidatorCompiler() {
  const ajv = new Ajv({
    coerceTypes: false,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    verbose: true,
  });
  formats.default(ajv);
  // A host may be written in any script: the format is checked on its punycode form.
  const isUri = formats.default(new Ajv()).compile({ type: "string", format: "uri" });
  ajv.addFormat("uri", (text) => isUri(asciiUrl(text)));
  return ({ schema }: { schema: unknown }) => ajv.compile(Object(schema));
}
