#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = `Usage: product-search-mock [--port 4010] [--host 127.0.0.1] [--engine service|prism]

Serves the documented responses of the product search service under http://HOST:PORT/api/v1.
A port of 0 takes any that is free; the address is printed.

--engine service   responds as the service does: its error bodies, unknown parameters refused, signed webhook events (default)
--engine prism     runs the stock command \`prism mock\` on the same document, under http://HOST:PORT without /api/v1`;

const { values } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port > 65535)
  fail(`--port ${values.port} is not a port: a number from 0 to 65535.`);

const documentFile = fileURLToPath(new URL("../dist/openapi.json", import.meta.url));
// Prism's parts use old parts of Node, which is no news for who runs a mock.
process.noDeprecation = true;
switch (values.engine) {
  case "service":
    await serve();
    break;
  case "prism":
    await servePrism();
    break;
  default:
    fail(`--engine ${values.engine} is unknown: service or prism.`);
}

async function servePrism(): Promise<void> {
  const { runStockPrism } = await import("./run-stock-prism.ts");
  try {
    runStockPrism(documentFile, { host: values.host, port });
  } catch (error) {
    fail(error instanceof Error ? error.message : `${error}`);
  }
}

async function serve(): Promise<void> {
  const document = JSON.parse(await readFile(documentFile, "utf8"));
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
}

function readArguments() {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    return parseArgs({
      options: {
        port: text("4010"),
        host: text("127.0.0.1"),
        engine: text("service"),
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
