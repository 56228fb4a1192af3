import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

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

// Below the ports that a system gives to whoever asks for any, so that no other process is given this one before it is used.
const minPort = 10_000;
const maxPort = 32_000;

export function freePort(): Promise<number> {
  const port = randomInt(minPort, maxPort);
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(freePort());
      else reject(error);
    });
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
