import { execFileSync } from "node:child_process";

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

/** Each host is on both. Only `back` is cut. The addresses are reserved for benchmarks (RFC 2544). */
const networks = { front: "198.18", back: "198.19" } as const;
type NetworkName = keyof typeof networks;
const networkNames = ["front", "back"] as const;
const ownNumber = 1;
/**
 * As recommended to operators: a connection that was cut is given up before the wait between two attempts becomes long. With
 * the usual 15 attempts, one that was cut for 30 s hangs for 20 s more.
 */
const setRetries = ["sh", "-c", "echo 5 > /proc/sys/net/ipv4/tcp_retries2"];

/**
 * Each host is a network namespace of Linux with a cable to each of two switches, which are bridges in a namespace of their own.
 * A host that is cut off loses all packets from and to the other hosts; its connections stay open. Fails where this process may
 * not create namespaces.
 */
export function createNamespaces(): Network {
  removeLeftOvers();
  const prefix = `rehearsal-${process.pid}`;
  const switches = `${prefix}-switches`;
  const block = process.pid % 250;
  const addressOf = (name: NetworkName, number: number) => `${networks[name]}.${block}.${number}`;
  const ownDevice = (name: NetworkName) => `${name}${process.pid}`;
  const created: string[] = [];
  const addNamespace = (name: string) => {
    ip("netns", "add", name);
    created.push(name);
    ip("netns", "exec", name, ...setRetries);
  };
  const removeAll = () => {
    // At once, with the cables at their other ends: Linux takes its time to end a namespace.
    for (const name of networkNames) tryIp("link", "del", ownDevice(name));
    for (const name of created.splice(0)) tryIp("netns", "del", name);
  };
  const plug = (network: NetworkName, number: number, inside: string[], device: string) => {
    const cable = `${network}-${number}`;
    ip(...inside, "link", "add", device, "type", "veth", "peer", "name", cable, "netns", switches);
    ip("-n", switches, "link", "set", cable, "master", network, "up");
    ip(...inside, "addr", "add", `${addressOf(network, number)}/24`, "dev", device);
    ip(...inside, "link", "set", device, "up");
  };
  process.once("exit", removeAll);
  try {
    addNamespace(switches);
    for (const name of networkNames) {
      ip("-n", switches, "link", "add", name, "type", "bridge");
      ip("-n", switches, "link", "set", name, "up");
      plug(name, ownNumber, [], ownDevice(name));
    }
  } catch (error) {
    removeAll();
    throw error;
  }
  let last = ownNumber;
  return {
    ownAddress: addressOf("front", ownNumber),
    addHost(): Host {
      last += 1;
      const number = last;
      const namespace = `${prefix}-host-${number}`;
      addNamespace(namespace);
      ip("-n", namespace, "link", "set", "lo", "up");
      for (const name of networkNames) plug(name, number, ["-n", namespace], name);
      const cable = ["-n", switches, "link", "set", `back-${number}`];
      return {
        address: addressOf("front", number),
        peerAddress: addressOf("back", number),
        links: [{ silence: () => ip(...cable, "nomaster"), restore: () => ip(...cable, "master", "back") }],
        command: (command, args) => ["ip", ["netns", "exec", namespace, command, ...args]],
      };
    },
    connect: async ({ host, port }) => `${host.peerAddress}:${port}`,
    async close() {
      process.off("exit", removeAll);
      removeAll();
    },
  };
}

/** Of processes that were killed. */
function removeLeftOvers(): void {
  for (const line of ip("netns", "list").split("\n")) {
    const [, name, pid] = /^(rehearsal-(\d+)-\S+)/.exec(line) ?? [];
    if (name && !isRunning(Number(pid))) tryIp("netns", "del", name);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function ip(...args: string[]): string {
  return execFileSync("ip", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function tryIp(...args: string[]): void {
  try {
    ip(...args);
  } catch {
    // It has gone.
  }
}
