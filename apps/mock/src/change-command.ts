import { type Arguments, UsageError } from "./read-arguments.ts";

type ChangeArguments = Pick<Arguments, "command" | "host" | "port" | "price" | "availability">;

/** Changes a product of a mock that runs, and gives the line to print. */
export async function changeCommand({
  command,
  host,
  port,
  price,
  availability,
}: ChangeArguments): Promise<string> {
  const [, productId, ...others] = command;
  if (productId === undefined || others.length > 0)
    throw new UsageError("change takes one product: product-search-mock change PRODUCT --price 9.99");
  if (price === undefined && availability === undefined)
    throw new UsageError(`change ${productId}: --price or --availability is missing.`);
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const response = await post(`${address}/__mock/changes`, { productId, price, availability });
  const body = Object(await response.json());
  if (!response.ok) throw new UsageError(`The mock refused: ${body.message}`);
  const { previous, current } = Object(body.data);
  return `${productId}: ${describeState(previous)} → ${describeState(current)}`;
}

async function post(url: string, body: object): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new UsageError(
      `No mock responds at ${new URL(url).origin}. Start one, or give its --host and --port.`,
    );
  }
}

function describeState(state: unknown): string {
  const { price, availability } = Object(state);
  return `${price}, ${availability}`;
}
