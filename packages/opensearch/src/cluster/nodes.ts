/** A node of the cluster, and whether other nodes are preferred. */
export interface Node {
  readonly origin: string;
  readonly authorization: string | undefined;
  isAvoided: boolean;
  /** OpenSearch's id of it; undefined while it is not known. */
  id: string | undefined;
  /** When it last responded to a check, as `performance.now()` tells. */
  respondedMs: number;
}

export interface NodesSettings {
  readonly addresses: readonly string[];
  /** Whether the node responds within this time. It must not fail. It sets the id and the time. */
  isResponding(node: Node, withinMs: number): Promise<boolean>;
  /** Called when an avoided node still does not respond. */
  onSilence(): void;
  readonly avoidMs: number;
  /** A node that works responds to a check within this time. */
  readonly momentMs: number;
}

export interface Nodes {
  /** In turn; those that were asked come after the others, and those that are avoided come last. */
  order(tried?: ReadonlySet<Node>): Node[];
  /**
   * Prefers other nodes, at least for a while and until the node responds to a check. No request waits for a node that
   * hangs, except for the first one.
   */
  avoid(node: Node): void;
  /** The node has responded. */
  restore(node: Node): void;
  /** Asks all nodes, and avoids exactly those that do not respond within a moment. */
  checkAll(): Promise<void>;
  /** The ids of those that are not avoided, as far as they are known. */
  idsInUse(): string[];
  isAnyAvoided(): boolean;
  close(): void;
}

const checkAgainMs = 1_000;
const checkTimeoutMs = 1_000;

export function createNodes({ addresses, isResponding, onSilence, avoidMs, momentMs }: NodesSettings): Nodes {
  const nodes = addresses.map(toNode);
  const checks = new Map<Node, NodeJS.Timeout>();
  let turn = 0;
  let isClosed = false;

  function restore(node: Node): void {
    node.isAvoided = false;
    clearTimeout(checks.get(node));
    checks.delete(node);
  }

  function checkAfter(node: Node, waitMs: number): void {
    checks.set(node, setTimeout(() => void check(node), waitMs).unref());
  }

  async function check(node: Node): Promise<void> {
    const responds = await isResponding(node, checkTimeoutMs);
    if (isClosed || !node.isAvoided) return;
    if (responds) return restore(node);
    onSilence();
    checkAfter(node, checkAgainMs);
  }

  function avoid(node: Node): void {
    if (node.isAvoided || isClosed) return;
    node.isAvoided = true;
    checkAfter(node, avoidMs);
  }

  return {
    order(tried) {
      const first = turn++ % nodes.length;
      const rotated = [...nodes.slice(first), ...nodes.slice(0, first)];
      const rank = (node: Node) => (node.isAvoided ? 2 : 0) + (tried?.has(node) ? 1 : 0);
      return rotated.sort((a, b) => rank(a) - rank(b));
    },
    avoid,
    restore,
    async checkAll() {
      const checking = nodes.map(async (node) => {
        if (await isResponding(node, momentMs)) restore(node);
        else avoid(node);
      });
      await Promise.all(checking);
    },
    isAnyAvoided: () => nodes.some(({ isAvoided }) => isAvoided),
    idsInUse: () => nodes.flatMap(({ isAvoided, id }) => (isAvoided ? [] : (id ?? []))),
    close() {
      isClosed = true;
      for (const timer of checks.values()) clearTimeout(timer);
    },
  };
}

function toNode(address: string): Node {
  const { origin, username, password } = new URL(address);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    origin,
    authorization: username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    isAvoided: false,
    id: undefined,
    respondedMs: Number.NEGATIVE_INFINITY,
  };
}
