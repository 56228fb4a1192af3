/** The part of an OpenAPI document that names its operations. */
export interface OperationSource {
  paths: Record<string, Record<string, { operationId?: string }>>;
}

/** A named export for each operation: `searchTrial` becomes `SearchTrialOperation`. */
export function operationTypes({ paths }: OperationSource): string {
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  return ids
    .toSorted()
    .map((id) => `export type ${id[0]?.toUpperCase()}${id.slice(1)}Operation = operations["${id}"];\n`)
    .join("");
}
