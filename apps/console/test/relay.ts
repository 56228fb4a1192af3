import { once } from "node:events";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Relay {
  url: string;
  /** From now on nobody answers there. */
  stop(): Promise<void>;
}

/**
 * Another address of the service, which can stop, and on which responds come in pieces, a pause before each. `isShown`
 * ends when the page has shown the event before: on a slow machine several would be shown at once.
 */
export async function startRelay(
  serviceUrl: string,
  pauseMs = 0,
  isShown: () => Promise<void> = async () => {},
): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "/" } = incoming;
    const passed = ask(new URL(url, serviceUrl), { method, headers }, async (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      for await (const chunk of response) {
        const isStream = String(headers.accept).includes("event-stream");
        for (const piece of isStream ? eventsOf(chunk) : [chunk]) {
          if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          if (isStream) await isShown();
          outgoing.write(piece);
        }
      }
      outgoing.end();
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}`, stop };
}

function eventsOf(chunk: Buffer): string[] {
  return chunk.toString().split(/(?<=\n\n)/);
}
