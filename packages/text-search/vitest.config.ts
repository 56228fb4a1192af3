import { defineConfig } from "vitest/config";
import { unitTests } from "../testing/src/unit-tests.ts";

// Tests measure the memory of their process, so each file has one of its own.
export default defineConfig({ test: { ...unitTests, isolate: true } });
