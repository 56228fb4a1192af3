import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Component {
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
  properties?: { name: string; value: string }[];
}
/** The parts of CycloneDX that are used here. */
export interface Bom {
  bomFormat: "CycloneDX";
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** Where a package is shipped: installed with the service, or bundled into a published package. */
export type Place = "service" | "client" | "mock";

export const nameOf = ({ group, name }: Component): string => (group ? `${group}/${name}` : name);
const keyOf = (name: string, version: string) => `${name}@${version}`;
const isOurs = (component: Component) => nameOf(component).startsWith("@product-search/");

/**
 * The bill of materials of shipped packages. pnpm lists every installed package, including tools. Only the production
 * dependencies of the service and the contents of the bundles of client and mock are kept. Both must have been built.
 */
export async function readShippedBom(): Promise<Bom> {
  const [service, everything, places] = await Promise.all([
    readBom([
      "--prod",
      "--filter-prod",
      "@product-search/api...",
      "--filter-prod",
      "@product-search/console...",
    ]),
    readBom(["--recursive", "--include-workspace-root"]),
    readBundles(),
  ]);
  for (const component of service.components) {
    if (!isOurs(component)) add(places, keyOf(nameOf(component), component.version), "service");
  }
  const components = everything.components.flatMap((component) => {
    const shippedIn = places.get(keyOf(nameOf(component), component.version));
    if (!shippedIn) return [];
    places.delete(keyOf(nameOf(component), component.version));
    const properties = [...shippedIn].map((value) => ({ name: "product-search:shipped-in", value }));
    return [{ ...component, properties }];
  });
  if (places.size > 0)
    throw new Error(`pnpm does not list ${[...places.keys()].join(", ")}, which is shipped.`);
  return { ...everything, components, dependencies: dependenciesAmong(components, everything) };
}

async function readBom(options: string[]): Promise<Bom> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", ...options];
  const { stdout } = await promisify(execFile)("pnpm", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout);
}

/** The packages inside the built bundles, from what the builds write about them. */
async function readBundles(): Promise<Map<string, Set<Place>>> {
  const places = new Map<string, Set<Place>>();
  const notices = await readFile(join(root, "apps/mock/dist/NOTICES.txt"), "utf8");
  for (const [, name = "", version = ""] of notices.matchAll(/^=== (\S+) (\S+) \(/gm)) {
    add(places, keyOf(name, version), "mock");
  }
  const client = await readFile(join(root, "packages/client/dist/index.js"), "utf8");
  for (const [, key = ""] of client.matchAll(/^\/\/ .*\/\.pnpm\/([^/]+)\/node_modules\//gm)) {
    add(places, key.replace("+", "/"), "client");
  }
  return places;
}

function add(places: Map<string, Set<Place>>, key: string, place: Place): void {
  places.set(key, (places.get(key) ?? new Set()).add(place));
}

function dependenciesAmong(components: Component[], bom: Bom): Bom["dependencies"] {
  const kept = new Set(components.map(({ purl }) => purl));
  return bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
}
