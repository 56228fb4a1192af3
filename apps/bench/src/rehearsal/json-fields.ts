type Fields = Record<string, unknown>;

/** The fields of a JSON object; none if it is something else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The objects of a JSON array; none if it is something else. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
