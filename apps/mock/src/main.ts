#!/usr/bin/env node
import "./polyfills.ts";
import { fileURLToPath } from "node:url";
import { type Arguments, readArguments, UsageError, usage } from "./read-arguments.ts";

/** What the build has put beside this file. */
const data = new URL("../dist/", import.meta.url);

/** `node:sqlite` is an experiment before. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(`Node ${process.versions.node} runs this command, but Node 24.15 or later is needed.`);
  process.exit(1);
}

// Prism's parts use old parts of Node, which is no news for who runs a mock.
process.noDeprecation = true;
try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function run(args: Arguments): Promise<void> {
  if (args.help) return console.log(usage);
  if (args.command[0] === "change") {
    const { changeCommand } = await import("./change-command.ts");
    return console.log(await changeCommand(args));
  }
  if (args.command.length > 0) throw new UsageError(`${args.command[0]}: is not a command.\n\n${usage}`);
  if (args.engine === "prism") return servePrism(args);
  await serve(args);
}

async function servePrism({ host, port }: Arguments): Promise<void> {
  const { runStockPrism } = await import("./run-stock-prism.ts");
  try {
    runStockPrism(fileURLToPath(new URL("openapi.json", data)), { host, port });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : `${error}`);
  }
}

async function serve({ host, port, stateless, state, ...settings }: Arguments): Promise<void> {
  const { createMock, originOf } = await import("./create-mock.ts");
  const { openData, openDocuments } = await import("./service/open-data.ts");
  const readDocument = openDocuments(data);
  const { info, servers } = JSON.parse(readDocument("openapi.json").toString());
  const { server, started, stop } = createMock({
    ...settings,
    readDocument,
    stateFile: state,
    ...(!stateless && { data: openData(data) }),
  });
  server.once("error", (error) => {
    console.error(`Cannot listen on ${host}:${port}: ${error.message}. Choose another --port.`);
    process.exit(1);
  });
  server.listen(port, host);
  await started;
  console.log(`Mock of ${info.title} ${info.version}: ${originOf(server)}${servers[0].url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void stop().then(() => process.exit()));
}
