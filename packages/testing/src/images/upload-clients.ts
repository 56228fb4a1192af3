import { once } from "node:events";
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** The task of a thread with uploading clients. It posts each client's status, 0 for a connection that ended first. */
export interface UploadClients {
  port: number;
  count: number;
  /** The headers of each request, except Content-Length. */
  head: string;
  bytes: number;
  /** Whether a client reads while it sends, or only after everything is sent. */
  readsWhileSending: boolean;
}

const { port, count, head, bytes, readsWhileSending }: UploadClients = workerData;
const body = Buffer.alloc(bytes, "A");

async function upload(): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.setEncoding("latin1").on("data", (chunk) => {
      received += chunk;
      if (received.includes("\r\n\r\n")) resolve();
    });
  });
  if (!readsWhileSending) socket.pause();
  await once(socket, "connect");
  socket.write(`${head}content-length: ${bytes}\r\n\r\n`);
  socket.write(body, () => socket.resume());
  await ended;
  socket.destroy();
  return Number(/^HTTP\/1.1 (\d+)/.exec(received)?.[1] ?? 0);
}

parentPort?.postMessage(await Promise.all(Array.from({ length: count }, () => upload().catch(() => 0))));
