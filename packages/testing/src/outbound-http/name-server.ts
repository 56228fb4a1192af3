import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface NameServer {
  /** In the form for `Resolver.setServers`. */
  address: string;
  /** Queries so far, such as `A name`. */
  questions: string[];
  close(): Promise<void>;
}

const types: Record<number, string> = { 1: "A", 28: "AAAA" };

/** A name server on loopback with given answers, which may differ from query to query. */
export async function startNameServer(
  answer: (type: string, name: string) => string | undefined,
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    const type = types[query.readUInt16BE(end)] ?? "other";
    questions.push(`${type} ${name}`);
    const found = answer(type, name);
    socket.send(reply(query.subarray(0, end + 4), found), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}

/** RFC 1035, section 4.1: the header, the question again, and one IPv4 address or "no such name". */
function reply(query: Buffer, address: string | undefined): Buffer {
  const message = Buffer.from(query);
  message.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(address === undefined ? 0 : 1, 6);
  message.fill(0, 8, 12);
  if (address === undefined) return message;
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]);
  return Buffer.concat([message, record]);
}
