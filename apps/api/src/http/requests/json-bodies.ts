import type { FastifyInstance } from "fastify";

/** An empty body of an operation that needs none is as good as none, whatever its media type. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && request.operation?.body !== "required") return done(null, undefined);
    return parse(request, String(body), done);
  });
}
