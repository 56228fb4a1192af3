import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import { asciiUrl } from "../../domain/ascii-url.ts";

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

/** An empty body counts as no body if the operation does not need one, whatever its media type. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && request.operation?.body !== "required") return done(null, undefined);
    return parse(request, String(body), done);
  });
}
