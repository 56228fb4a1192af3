/** What the mock uses of Prism. The build puts it, with all that it needs, into a file of its own. */
export { createLogger } from "@stoplight/prism-core";
export {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpConfig,
  type IHttpRequest,
  ProblemJsonError,
} from "@stoplight/prism-http";
