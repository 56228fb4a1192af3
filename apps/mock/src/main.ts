#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

const usage = `Usage: product-search-mock [--port 4010] [--host 127.0.0.1]

Serves the documented answers of the product search service under http://HOST:PORT/api/v1.
A port of 0 takes any that is free; the address is printed.`;

const { values } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port > 65535)
  fail(`--port ${values.port} is not a port: a number from 0 to 65535.`);

const document = JSON.parse(await readFile(new URL("../dist/openapi.json", import.meta.url), "utf8"));
// Prism's parts use old parts of Node, which is no news for who runs a mock.
process.noDeprecation = true;
const { createMock } = await import("./create-mock.ts");
const server = await createMock(document);
server.once("error", (error) =>
  fail(`Cannot listen on ${values.host}:${port}: ${error.message}. Choose another --port.`),
);
server.listen(port, values.host, () => {
  const { address, family, port: taken } = server.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  console.log(
    `Mock of ${document.info.title} ${document.info.version}: http://${host}:${taken}${document.servers[0].url}`,
  );
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(() => process.exit());
    server.closeAllConnections();
  });
}

function readArguments() {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    return parseArgs({
      options: {
        port: text("4010"),
        host: text("127.0.0.1"),
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
