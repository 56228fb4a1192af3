import { randomBytes } from "node:crypto";
import { type Lease, LeaseLostError } from "@product-search/core/ports/leases.ts";
import { z } from "zod";
import { type Cluster, ClusterError } from "./cluster.ts";

/** The lease of the job that writes an index. */
export type HeldLease = Pick<Lease, "job" | "number" | "isHeld">;

/** One change of `_aliases`. All changes of a request are made in one step, or none. */
export type AliasAction =
  | { readonly add: { readonly index: string; readonly alias: string } }
  | { readonly remove: { readonly index: string; readonly alias: string; readonly must_exist?: true } }
  | { readonly remove_index: { readonly index: string } };

const found = z.record(z.string(), z.object({ aliases: z.record(z.string(), z.unknown()) }));

export const stateIndexOf = (alias: string) => `${alias}-state`;

/**
 * Entries of an index are written through this alias, which its lease has. They fail when the alias is gone, instead
 * of creating an index.
 */
export const writerOf = (alias: string, leaseAlias: string, name: string) =>
  `${leaseAlias}${name.slice(alias.length)}`;

/**
 * Ends all that former holders may do with the indexes of the alias, and returns the lease alias of this one. A lease
 * alias is an alias of the state index that exists until the next holder begins. Every change requires that it exists.
 *
 * Fails with `LeaseLostError` if another node has the lease. Two that begin at the same time cannot both succeed: whoever
 * asks the database last sees the other's lease alias.
 */
export async function beginLease(cluster: Cluster, alias: string, lease: HeldLease): Promise<string> {
  const leaseAlias = `${alias}-lease-${lease.number}-${randomBytes(4).toString("hex")}`;
  const former = await findLeaseAliases(cluster, alias);
  await assertHeld(lease);
  const actions: AliasAction[] = [
    ...former.map((one) => ({ remove: { ...one, must_exist: true as const } })),
    { add: { index: stateIndexOf(alias), alias: leaseAlias } },
  ];
  // Not twice: an attempt that arrives late would add the alias again when another node has removed it.
  await cluster.request({ method: "POST", path: "/_aliases", body: { actions }, retry: false });
  const now = await findLeaseAliases(cluster, alias);
  await assertHeld(lease);
  if (now.length !== 1 || now[0]?.alias !== leaseAlias)
    throw new ClusterError(undefined, `another node began to write "${alias}" at the same time`);
  return leaseAlias;
}

/** Makes all changes, or none: with status 404, if a later holder has begun or an index does not exist. */
export async function changeUnderLease(
  cluster: Cluster,
  alias: string,
  leaseAlias: string,
  changes: readonly AliasAction[],
): Promise<void> {
  const own = { index: stateIndexOf(alias), alias: leaseAlias };
  const actions: AliasAction[] = [{ remove: { ...own, must_exist: true } }, { add: own }, ...changes];
  await cluster.request({ method: "POST", path: "/_aliases", body: { actions } });
}

async function assertHeld(lease: HeldLease): Promise<void> {
  if (!(await lease.isHeld())) throw new LeaseLostError(lease);
}

async function findLeaseAliases(
  cluster: Cluster,
  alias: string,
): Promise<Array<{ index: string; alias: string }>> {
  const path = `/${alias}-*/_alias/${alias}-lease-*`;
  return Object.entries(found.parse(await cluster.request({ method: "GET", path }))).flatMap(
    ([index, { aliases }]) => Object.keys(aliases).map((name) => ({ index, alias: name })),
  );
}
