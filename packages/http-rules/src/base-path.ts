/** The path prefix of every operation of the spec, with the major version of the interface. */
export const basePath = "/api/v1";
