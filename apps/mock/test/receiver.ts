import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, vi } from "vitest";

export interface ReceivedEvent {
  headers: Record<string, string>;
  content: string;
}

/** A target of webhooks on loopback. It responds with the statuses in turn, with the last one from then on. */
export async function startReceiver(...statuses: number[]) {
  const received: ReceivedEvent[] = [];
  const server = createServer(async (request, response) => {
    const content = await text(request);
    const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 200;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, `${value}`]);
    received.push({ headers: Object.fromEntries(headers), content });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    webhookUrl: `http://127.0.0.1:${port}/hook`,
    received,
    /** The events so far, once there are as many. */
    async take(count: number): Promise<ReceivedEvent[]> {
      await vi.waitFor(() => {
        if (received.length < count) throw new Error(`${received.length} of ${count} events have come.`);
      }, 10_000);
      return received;
    },
  };
}
