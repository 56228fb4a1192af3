import { createRequire } from "node:module";

export interface PrismAddress {
  host: string;
  port: number;
}

/** Turns this process into the stock command `prism mock`, which prints its own messages and address. */
export function runStockPrism(documentFile: string, { host, port }: PrismAddress): void {
  const require = createRequire(import.meta.url);
  const command = findPrism(require);
  process.argv.splice(1, Infinity, command, "mock", documentFile, "--host", host, "--port", `${port}`);
  require(command);
}

function findPrism(require: NodeJS.Require): string {
  try {
    return require.resolve("@stoplight/prism-cli");
  } catch (cause) {
    const message = "--engine prism needs Prism beside the mock: npm install @stoplight/prism-cli@5.14.2";
    throw new Error(message, { cause });
  }
}
