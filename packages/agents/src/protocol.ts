// What the endpoint uses of the protocol's package, so that a bundle leaves the rest out.
export {
  createMcpHandler,
  fromJsonSchema,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
