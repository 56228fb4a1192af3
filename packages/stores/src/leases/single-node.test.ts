import { describeLeases } from "@product-search/testing/contracts/leases/contract.ts";
import { describe } from "vitest";
import { createSingleNodeLeases } from "./single-node.ts";

describe("the leases of a single node", () => {
  describeLeases(async () => ({ leases: createSingleNodeLeases(), close: async () => {} }));
});
