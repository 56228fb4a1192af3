/** The OpenAPI documents that the service and the mock serve outside the base path, with their media types. */
export const documentTypes = {
  "openapi-3.1.json": "application/json; charset=utf-8",
  "openapi.json": "application/json; charset=utf-8",
  "openapi.yaml": "application/yaml; charset=utf-8",
} as const;

export type DocumentName = keyof typeof documentTypes;

/** The path prefix of every operation of the spec, with the major version of the interface. */
export const basePath = "/api/v1";
