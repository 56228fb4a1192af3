/** What a cut of the network interrupts. Connections are not closed. */
export interface Link {
  silence(): void;
  restore(): void;
}

/** Where a part runs. */
export interface Host {
  /** Where clients and the rehearsal itself reach it; never cut. */
  address: string;
  /** Where the other parts reach it. */
  peerAddress: string;
  links: Link[];
  /** The command and its arguments that run the given ones on this host. */
  command(command: string, args: readonly string[]): [string, string[]];
}

/** Servers listen on these and no others: they have no passwords. */
export function addressesOf({ address, peerAddress }: Host): string[] {
  return [...new Set([address, peerAddress])];
}

/** A server as the network sees it. */
export interface ServerOnNetwork {
  host: Host;
  port: number;
}

export interface Network {
  /** Where the parts reach this process. */
  ownAddress: string;
  addHost(): Host;
  /** The `host:port` by which one client reaches the server: a part on the host, or else a command of the rehearsal itself. */
  connect(server: ServerOnNetwork, client?: Host): Promise<string>;
  close(): Promise<void>;
}
