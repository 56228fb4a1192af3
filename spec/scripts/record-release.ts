// Stores the built document as the released one, for later comparisons. Run by the release, after the build.
import { copyFile } from "node:fs/promises";
import { releasedLocation } from "./document.ts";

await copyFile(new URL("../dist/openapi.yaml", import.meta.url), releasedLocation);
