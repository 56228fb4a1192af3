import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";

/**
 * Loads the endpoint on the first request: most services never do. Its code takes a tenth of a second in all, so others have
 * their turn between what it is built on, the deepest package first.
 */
export async function loadAgentEndpoint() {
  for (const load of layers) {
    await load();
    await letOthersCome();
  }
  return import("./agent-endpoint.ts");
}

const layers = [
  // Loads `Request`, `Response` and `Headers` of Node.
  () => new Response(),
  () => import("zod/v4"),
  () => import("@modelcontextprotocol/core/internal"),
  () => import("@modelcontextprotocol/server/validators/ajv"),
  () => import("./protocol.ts"),
];
