import { defineConfig } from "vitest/config";
import { propertyTests } from "../testing/src/unit-tests.ts";

// Tests measure the memory of their process, so each file has one of its own.
export default defineConfig({ test: { ...propertyTests, isolate: true } });
