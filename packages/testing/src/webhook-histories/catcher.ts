import { setTimeout } from "node:timers/promises";
import type { WebhookEvent } from "@product-search/types";
import { Webhook } from "standardwebhooks";
import { type Received, type Receiver, startReceiver } from "../receiver.ts";
import { createRandom } from "./random.ts";

/** The deliveries to one webhook: by event, its change. */
export interface Caught {
  changes: Map<string, string>;
  /** Violations of the guarantees for deliveries. */
  faults: string[];
  attempts: number;
}

export interface Catcher {
  url: string;
  /** Records deliveries by path; the key is used to check signatures. */
  watch(path: string, key: string): Caught;
  close(): Promise<void>;
}

interface Watched extends Caught {
  key: string;
  bodies: Map<string, string>;
  underWay: Set<string>;
  refusals: Map<string, number>;
}

const maxRefusals = 2;

/** The webhook targets: respond late, fail for some events once or twice, and record everything that is wrong. */
export async function startCatcher(seed: number): Promise<Catcher> {
  const random = createRandom(seed);
  const watched = new Map<string, Watched>();

  const receiver: Receiver = await startReceiver(async (response, request) => {
    receiver.received.length = 0;
    const one = watched.get(request.path);
    const id = String(request.headers["webhook-id"]);
    if (one === undefined) {
      response.writeHead(404).end();
      return;
    }
    check(one, id, request);
    one.underWay.add(id);
    await setTimeout(random.integer(0, 15));
    one.underWay.delete(id);
    const refusals = one.refusals.get(id) ?? 0;
    if (refusals < maxRefusals && random.chance(0.2)) {
      one.refusals.set(id, refusals + 1);
      if (random.chance(0.3)) response.socket?.destroy();
      else response.writeHead(random.pick([500, 429, 302])).end("not now");
      return;
    }
    keep(one, id, JSON.parse(request.body));
    response.writeHead(204).end();
  });

  return {
    url: receiver.url,
    watch(path, key) {
      const one: Watched = {
        key,
        changes: new Map(),
        faults: [],
        attempts: 0,
        bodies: new Map(),
        underWay: new Set(),
        refusals: new Map(),
      };
      watched.set(path, one);
      return one;
    },
    close: () => receiver.close(),
  };
}

function check(one: Watched, id: string, { headers, body }: Received): void {
  one.attempts += 1;
  if (one.underWay.has(id)) one.faults.push(`${id} was delivered twice at once`);
  if ((one.bodies.get(id) ?? body) !== body) one.faults.push(`${id} changed its bytes`);
  one.bodies.set(id, body);
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const expected = new Webhook(one.key).sign(id, at, body);
  if (headers["webhook-signature"] !== expected) one.faults.push(`${id} is not signed as it should be`);
}

function keep(one: Watched, id: string, event: WebhookEvent): void {
  one.changes.set(id, `${event.type} ${event.data.productId} ${describeChange(event)}`);
}

function describeChange(event: WebhookEvent): string {
  switch (event.type) {
    case "price.alert":
      return `${event.data.previous.price} → ${event.data.current.price}`;
    case "stock.alert":
      return `${event.data.previous.availability} → ${event.data.current.availability}`;
    default:
      return event satisfies never;
  }
}
