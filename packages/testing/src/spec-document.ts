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

/** The parts of the bundled document that tests read. */
export const specDocument: {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, { properties?: object }> };
} = createRequire(import.meta.url)("@product-search/spec/openapi.json");
