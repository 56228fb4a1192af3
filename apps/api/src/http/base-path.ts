/** Under which every operation of the spec is served; the major version of the interface. */
export const basePath = "/api/v1";
