import { describe, expect, it } from "vitest";
import { createFindings, createLedger } from "./figures.ts";
import { type ReceivedEvent, verifyEvents } from "./load/webhooks.ts";
import { type ObservedProduct, verifyProducts, verifyWebhooks } from "./verify.ts";

/** A product whose second price is acknowledged and whose third is not, a product that failed, and a webhook. */
function ledger() {
  const noted = createLedger();
  noted.products.set("a", [
    { price: 10, startedMs: 0, acknowledgedMs: 1 },
    { price: 11, startedMs: 20, acknowledgedMs: 21 },
    { price: 12, startedMs: 30 },
  ]);
  noted.products.set("b", [{ price: 10, startedMs: 30 }]);
  noted.webhooks.push({ path: "/1", acknowledgedMs: 10 }, { path: "/2" });
  return noted;
}

const event = (one: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  path: "/1",
  eventId: "e1",
  key: "a",
  price: 11,
  ...one,
});

function products(observed: Record<string, ObservedProduct>) {
  const findings = createFindings();
  verifyProducts("node 1", ledger().products, new Map(Object.entries(observed)), findings);
  return findings;
}

function webhooks(...listed: string[]) {
  const findings = createFindings();
  verifyWebhooks("node 1", ledger().webhooks, listed, findings);
  return findings;
}

function events(...received: ReceivedEvent[]) {
  const findings = createFindings();
  verifyEvents(ledger(), new Map([["a", [10, 11]]]), received, findings);
  return findings;
}

const nothing = { lost: [], invented: [], doubled: [] };
const lost = (line: string) => ({ ...nothing, lost: [line] });
const invented = (line: string) => ({ ...nothing, invented: [line] });
const doubled = (line: string) => ({ ...nothing, doubled: [line] });

describe("products", () => {
  it("may or may not have what was not acknowledged", () => {
    expect(products({ a: { price: 11, history: [10, 11] } })).toEqual(nothing);
    expect(products({ a: { price: 12, history: [10, 11, 12] }, b: { price: 10, history: [10] } })).toEqual(
      nothing,
    );
  });

  it("are lost if they are missing, have an older price, or miss one in the history", () => {
    expect(products({})).toEqual(lost("node 1: product a"));
    expect(products({ a: { price: 10, history: [10, 11, 10] } }).lost).toEqual([
      "node 1: product a has the price 10, not 11",
    ]);
    expect(products({ a: { price: 12, history: [10, 12] } })).toEqual(
      lost("node 1: product a has no price 11 in its history"),
    );
    expect(products({ a: { price: 11, history: [10, 11, 12] } })).toEqual(
      lost("node 1: product a has the price 11, and its history ends with 12"),
    );
  });

  it("are invented if nobody imported them or their price", () => {
    const a = { price: 11, history: [10, 11] };
    expect(products({ a, c: { price: 1, history: [1] } })).toEqual(invented("node 1: product c"));
    expect(products({ a: { price: 11, history: [10, 9, 11] } })).toEqual(
      invented("node 1: product a has the price 9 in its history"),
    );
    expect(products({ a: { price: 13, history: [10, 11, 13] } }).invented).toEqual([
      "node 1: product a has the price 13",
      "node 1: product a has the price 13 in its history",
    ]);
  });

  it("are doubled if a price was applied twice", () => {
    expect(products({ a: { price: 11, history: [10, 11, 11] } })).toEqual(
      doubled("node 1: product a has the price 11 twice in its history"),
    );
  });
});

describe("webhooks", () => {
  it("may or may not have what was not acknowledged", () => {
    expect(webhooks("/1")).toEqual(nothing);
    expect(webhooks("/2", "/1")).toEqual(nothing);
  });

  it("are lost, invented or doubled", () => {
    expect(webhooks("/2")).toEqual(lost("node 1: webhook /1"));
    expect(webhooks("/1", "/3")).toEqual(invented("node 1: webhook /3"));
    expect(webhooks("/1", "/2", "/2")).toEqual(doubled("node 1: webhook /2"));
  });
});

describe("events", () => {
  it("may be received more than once, also by a webhook whose creation was not acknowledged", () => {
    expect(events(event(), event(), event({ path: "/2", eventId: "e2" }))).toEqual(nothing);
  });

  it("are lost if a webhook that existed before the change received none", () => {
    expect(events()).toEqual(lost("event of product a with the price 11 to /1"));
  });

  it("are invented if the product never had the price, or was new", () => {
    const line = "event of product a with the price 12 to /1";
    expect(events(event(), event({ eventId: "e2", price: 12 }))).toEqual(invented(line));
    const first = "event of product a with the price 10 to /1";
    expect(events(event(), event({ eventId: "e2", price: 10 }))).toEqual(invented(first));
  });

  it("are doubled if one change has two identifiers", () => {
    expect(events(event(), event({ eventId: "e2" }))).toEqual(
      doubled("event of product a with the price 11 to /1"),
    );
  });
});
