import { parseArgs } from "node:util";

export const usage = `Usage: product-search-mock [options]
       product-search-mock change PRODUCT --price 9.99 [--port 4010]
       product-search-mock change PRODUCT --availability out_of_stock [--port 4010]

Serves a mock of the product search service under http://HOST:PORT/api/v1: a catalog of sample products to search, and
webhooks that you create, list, test and receive. Any bearer token is accepted; each is an account of its own.

--port 4010          the port; 0 takes any that is free, and the address is printed
--host 127.0.0.1     the address to listen on
--state FILE         keeps webhooks, deliveries and changed products in a file between starts; default: in memory
--seed N             makes identifiers, keys and times repeatable
--speed N            retries of deliveries come N times sooner: 3600 makes an hour a second
--fail-deliveries    every attempt at a delivery fails; --fail-deliveries=2: the first two attempts of each
--stateless          responds with the documented examples only and remembers nothing
--engine prism       runs the stock command \`prism mock\` on the same document, under http://HOST:PORT without /api/v1

change               changes the price or the availability (in_stock, out_of_stock, preorder, backorder) of a product of
                     the running mock: its webhooks fire. PRODUCT is the _id of a product from a response.`;

export class UsageError extends Error {}

export type Arguments = ReturnType<typeof readArguments>;

/** Throws a `UsageError` that says which argument is wrong and what is allowed. */
export function readArguments(given: readonly string[]) {
  // Alone it stands for all attempts; the parser knows no option whose value may be left out.
  const args = given.map((argument) => (argument === "--fail-deliveries" ? `${argument}=all` : argument));
  const { values, positionals } = parse(args);
  return {
    ...values,
    command: positionals,
    port: readWhole("port", values.port, 0, 65535),
    seed: values.seed === undefined ? undefined : readWhole("seed", values.seed, 0, Number.MAX_SAFE_INTEGER),
    speed: readSpeed(values.speed),
    failDeliveries: readFailures(values["fail-deliveries"]),
    engine: readEngine(values.engine),
    price: values.price === undefined ? undefined : readPrice(values.price),
  };
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: { ...text, default: "4010" },
        host: { ...text, default: "127.0.0.1" },
        engine: { ...text, default: "service" },
        state: text,
        seed: text,
        speed: { ...text, default: "1" },
        "fail-deliveries": text,
        stateless: flag,
        price: text,
        availability: text,
        help: { ...flag, short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

function readWhole(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} ${text}: is not a whole number from ${least} to ${most}.`);
}

function readSpeed(text: string): number {
  const speed = Number(text);
  if (speed >= 1 && speed <= 1_000_000) return speed;
  throw new UsageError(`--speed ${text}: is not a number from 1 to 1000000.`);
}

function readFailures(text: string | undefined): number {
  if (text === undefined) return 0;
  return text === "all" ? Number.POSITIVE_INFINITY : readWhole("fail-deliveries", text, 1, 1000);
}

function readEngine(text: string): "service" | "prism" {
  if (text === "service" || text === "prism") return text;
  throw new UsageError(`--engine ${text}: is unknown. Give service or prism.`);
}

function readPrice(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--price ${text}: is not a price such as 9.99.`);
}
