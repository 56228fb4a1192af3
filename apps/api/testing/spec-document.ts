import { createRequire } from "node:module";

interface Reference {
  $ref: string;
}

interface DocumentedOperation {
  operationId: string;
  parameters?: (object | Reference)[];
  requestBody?: object | Reference;
  responses: Record<string, { content?: Record<string, unknown> } | Reference>;
}

/** The bundled document, as far as tests read it. */
export const specDocument: { paths: Record<string, Record<string, DocumentedOperation>> } = createRequire(
  import.meta.url,
)("@product-search/spec/openapi.json");
