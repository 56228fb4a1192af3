import type { Server } from "node:net";

/** Starts the server on loopback and returns its port. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, host, resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}
