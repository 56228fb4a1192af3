/** The part of an OpenAPI document that lists the error codes. */
export interface ErrorCodeSource {
  components: { schemas: { ErrorCode: { "x-status": Record<string, number> } } };
}

/** The constant `statusOfCode`: its declaration, and its code for ES modules and for CommonJS. */
export function statusOfCode({ components }: ErrorCodeSource) {
  const statuses = Object.entries(components.schemas.ErrorCode["x-status"]);
  const lines = (end: string) => statuses.map(([code, status]) => `  ${code}: ${status}${end}\n`).join("");
  return {
    declaration: [
      "/** Every code of an error with its HTTP status. */",
      `export declare const statusOfCode: Readonly<{\n${lines(";")}}>;\n`,
    ].join("\n"),
    module: `export const statusOfCode = {\n${lines(",")}};\n`,
    commonJs: `exports.statusOfCode = {\n${lines(",")}};\n`,
  };
}
