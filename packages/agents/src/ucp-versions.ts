/** The versions of the Universal Commerce Protocol, the current one first. Of an older one, only the catalog's pages differ. */
export const ucpVersions = ["2026-08-25", "2026-04-08"] as const;
export type UcpVersion = (typeof ucpVersions)[number];

const [currentVersion] = ucpVersions;

const catalogPages: Record<UcpVersion, string> = {
  "2026-08-25": "specification/shopping/catalog",
  "2026-04-08": "specification/catalog",
};

/** The current version has the plain addresses; an older one has addresses of its own, so that a reply is of its version. */
const pathOf = (path: string, version: UcpVersion) =>
  version === currentVersion ? path : `${path}/${version}`;

/** What a request to an address is for: a message of MCP, or with a tool UCP's binding to plain HTTP. */
export interface AgentAddress {
  version: UcpVersion;
  tool?: "search_catalog" | "lookup_catalog" | "get_product";
}

/** The addresses of the tools, by path. All take POST. */
export const agentAddresses: ReadonlyMap<string, AgentAddress> = new Map(
  ucpVersions.flatMap((version): [string, AgentAddress][] => [
    [pathOf("/mcp", version), { version }],
    [`${pathOf("/ucp", version)}/catalog/search`, { version, tool: "search_catalog" }],
    [`${pathOf("/ucp", version)}/catalog/lookup`, { version, tool: "lookup_catalog" }],
    [`${pathOf("/ucp", version)}/catalog/product`, { version, tool: "get_product" }],
  ]),
);

/** What an agent reads first, by path: where the catalog's tools are. The first profile leads to those of older versions. */
export function ucpProfiles(publicUrl: string): ReadonlyMap<string, object> {
  const profilePath = (version: UcpVersion) => pathOf("/.well-known/ucp", version);
  const older = ucpVersions.slice(1).map((version) => [version, `${publicUrl}${profilePath(version)}`]);
  const links = { supported_versions: Object.fromEntries(older) };
  return new Map(
    ucpVersions.map((version) => [
      profilePath(version),
      { ucp: { ...profile(publicUrl, version), ...(version === currentVersion && links) } },
    ]),
  );
}

const searchCapability = "dev.ucp.shopping.catalog.search";
const lookupCapability = "dev.ucp.shopping.catalog.lookup";

/** There is no checkout, so there are no payment handlers. */
function profile(publicUrl: string, version: UcpVersion): object {
  const site = `https://ucp.dev/${version}`;
  const service = (transport: "mcp" | "rest", path: string, schema: string) => ({
    version,
    spec: `${site}/specification/overview`,
    transport,
    schema: `${site}/services/shopping/${schema}`,
    endpoint: `${publicUrl}${pathOf(path, version)}`,
  });
  const capability = (page: string, schema: string) => [
    {
      version,
      spec: `${site}/${catalogPages[version]}/${page}`,
      schema: `${site}/schemas/shopping/${schema}.json`,
    },
  ];
  return {
    version,
    services: {
      "dev.ucp.shopping": [
        service("mcp", "/mcp", "mcp.openrpc.json"),
        service("rest", "/ucp", "rest.openapi.json"),
      ],
    },
    capabilities: {
      [searchCapability]: capability("search", "catalog_search"),
      [lookupCapability]: capability("lookup", "catalog_lookup"),
    },
    payment_handlers: {},
  };
}

interface Envelope {
  version: string;
  status: "success" | "error";
  capabilities: Readonly<Record<string, readonly { version: string }[]>>;
}

/** The `ucp` member of a reply. */
export function envelope(
  { ucpVersion: version }: { ucpVersion: UcpVersion },
  capability: "search" | "lookup",
  status: Envelope["status"] = "success",
): Envelope {
  const name = capability === "search" ? searchCapability : lookupCapability;
  return { version, status, capabilities: { [name]: [{ version }] } };
}
