import { defineConfig } from "vitest/config";
import { unitTests } from "../testing/src/unit-tests.ts";

export default defineConfig({ test: { ...unitTests, typecheck: { enabled: true } } });
