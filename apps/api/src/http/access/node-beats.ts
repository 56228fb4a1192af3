/** The cells of this in memory that all threads of a node share. */
export const beatFields = 3;

const defaultEveryMs = 2000;
/** A node that could not ask yet how many nodes there are admits little alone. */
const assumedNodes = 20;
/** After a failed heartbeat, it takes so many more until all living nodes have reported again. */
const settlingBeats = 3;

export interface NodeBeatsSettings {
  cells: Int32Array;
  /** The first of its cells. */
  at: number;
  /** Reports that this node is alive. Returns the number of live nodes. */
  beat(): Promise<number>;
  onError(error: unknown): void;
  everyMs?: number | undefined;
}

export interface NodeBeats {
  /** How many nodes there were at the last heartbeat. */
  nodes(): number;
  stop(): void;
}

/**
 * The heartbeats of a node. All its threads call this, and one of them sends each heartbeat: a thread leaves it out when
 * another one has sent one since its last turn. So another thread takes over when one has ended, is busy or fails.
 */
export async function startNodeBeats(settings: NodeBeatsSettings): Promise<NodeBeats> {
  const { cells, at, beat, onError, everyMs = defaultEveryMs } = settings;
  const [nodes, sent, failed] = [at, at + 1, at + 2];
  let seen = Atomics.load(cells, sent);
  let isBeating = false;
  const isMyTurn = () => {
    const before = seen;
    seen = Atomics.load(cells, sent);
    if (seen !== before || Atomics.compareExchange(cells, sent, seen, seen + 1) !== seen) return false;
    seen += 1;
    return true;
  };
  const send = async (number: number) => {
    try {
      const count = await beat();
      // After a failure of the database, nodes seem to be dead until they have reported again.
      const isSettling =
        Atomics.load(cells, failed) !== 0 && number < Atomics.load(cells, failed) + settlingBeats;
      Atomics.store(cells, nodes, isSettling ? Math.max(Atomics.load(cells, nodes), count) : count);
    } catch (error) {
      Atomics.store(cells, failed, number);
      // As if it had not been its turn: the other threads try as well.
      if (Atomics.compareExchange(cells, sent, number, number - 1) === number) seen = number - 1;
      onError(error);
    }
  };
  const turn = async () => {
    if (isBeating || !isMyTurn()) return;
    isBeating = true;
    await send(seen);
    isBeating = false;
  };
  await turn();
  const timer = setInterval(turn, everyMs);
  timer.unref();
  return {
    nodes: () => Atomics.load(cells, nodes) || assumedNodes,
    stop: () => clearInterval(timer),
  };
}
