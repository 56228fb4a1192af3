import * as client from "@product-search/client";
import program from "./program.cjs";

await program(client);
