import { defineConfig } from "vitest/config";
import { propertyTests } from "../testing/src/unit-tests.ts";

export default defineConfig({ test: propertyTests });
