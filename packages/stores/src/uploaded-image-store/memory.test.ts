import { describeUploadedImageStore } from "@product-search/testing/contracts/uploaded-image-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryUploadedImageStore } from "./memory.ts";

describe("the image store in memory", () => {
  describeUploadedImageStore(async (settings) => ({
    store: createMemoryUploadedImageStore({ database: createMemoryDatabase(), ...settings }),
    close: async () => {},
  }));
});
