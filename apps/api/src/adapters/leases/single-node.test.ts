import { describe } from "vitest";
import { describeLeases } from "./contract.ts";
import { createSingleNodeLeases } from "./single-node.ts";

describe("the leases of a single node", () => {
  describeLeases(async () => ({ leases: createSingleNodeLeases(), close: async () => {} }));
});
