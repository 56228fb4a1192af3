import type { Findings } from "./findings.ts";
import type { PriceWrite } from "./ledger.ts";

/** A product as one node returns it. */
export interface ObservedProduct {
  price: number;
  /** All prices, oldest first. */
  history: readonly number[];
}

/** Compares the products of a node with the writes. */
export function verifyProducts(
  node: string,
  written: ReadonlyMap<string, readonly PriceWrite[]>,
  observed: ReadonlyMap<string, ObservedProduct>,
  findings: Findings,
): void {
  for (const [key, product] of observed) {
    const writes = written.get(key);
    if (writes) verifyProduct(`${node}: product ${key}`, writes, product, findings);
    else findings.invented.push(`${node}: product ${key}`);
  }
  for (const [key, writes] of written) {
    const isAcknowledged = writes.some(({ acknowledgedMs }) => acknowledgedMs !== undefined);
    if (isAcknowledged && !observed.has(key)) findings.lost.push(`${node}: product ${key}`);
  }
}

function verifyProduct(
  name: string,
  writes: readonly PriceWrite[],
  { price, history }: ObservedProduct,
  { lost, invented, doubled }: Findings,
): void {
  const lastAcknowledged = writes.findLastIndex(({ acknowledgedMs }) => acknowledgedMs !== undefined);
  const current = writes.findIndex((write) => write.price === price);
  if (current < 0) invented.push(`${name} has the price ${price}`);
  else if (current < lastAcknowledged) {
    lost.push(`${name} has the price ${price}, not ${writes[lastAcknowledged]?.price}`);
  }
  if (history.at(-1) !== price) {
    lost.push(`${name} has the price ${price}, and its history ends with ${history.at(-1)}`);
  }
  for (const [at, entry] of history.entries()) {
    if (history.indexOf(entry) !== at) doubled.push(`${name} has the price ${entry} twice in its history`);
    else if (!writes.some((write) => write.price === entry))
      invented.push(`${name} has the price ${entry} in its history`);
  }
  for (const write of writes) {
    if (write.acknowledgedMs !== undefined && !history.includes(write.price))
      lost.push(`${name} has no price ${write.price} in its history`);
  }
}
