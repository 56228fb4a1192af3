import { startTcpProxy, type TcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import type { Host, Link, Network } from "./network.ts";

const loopback = "127.0.0.1";

function createLoopbackHost(): Host {
  return {
    address: loopback,
    peerAddress: loopback,
    links: [],
    command: (command, args) => [command, [...args]],
  };
}

/** All parts on the loopback interface, where nothing can be cut off. */
export function createLoopback(): Network {
  return {
    ownAddress: loopback,
    addHost: createLoopbackHost,
    connect: async ({ port }) => `${loopback}:${port}`,
    close: async () => {},
  };
}

/** All parts on the loopback interface, with a proxy between each client and each server. */
export function createProxies(): Network {
  const proxies: TcpProxy[] = [];
  return {
    ...createLoopback(),
    async connect({ host, port }, client) {
      const proxy = await startTcpProxy(port, loopback);
      proxies.push(proxy);
      const link = countCuts(proxy);
      host.links.push(link);
      client?.links.push(link);
      return `${loopback}:${proxy.port}`;
    },
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

/** A link belongs to the parts on both of its sides. When both are cut off, it works again when both faults have ended. */
function countCuts(proxy: TcpProxy): Link {
  let cuts = 0;
  return {
    silence() {
      cuts += 1;
      proxy.silence();
    },
    restore() {
      cuts -= 1;
      if (cuts === 0) proxy.restore();
    },
  };
}
