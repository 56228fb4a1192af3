import { createCluster } from "../src/cluster/cluster.ts";

/** Prints the first reply of the OpenSearch node whose address is the argument, in a process with its own authorities. */
const cluster = createCluster({ nodes: process.argv.slice(2) });
console.log(JSON.stringify(await cluster.request({ method: "GET", path: "/" })));
await cluster.close();
