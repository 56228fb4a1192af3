// A setup file of Vitest: the properties of fast-check begin with SEED. A property that fails prints its seed.
import fc from "fast-check";
import { namedSeed } from "./seed.ts";

const seed = namedSeed();
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
