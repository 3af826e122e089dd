/** Waits for the turn of this process among those that have the same database, and does the work in it. */
type InTurn = (name: string, work: () => Promise<void>) => Promise<void>;

/** Turns of nodes that count in the buckets of one organization. */
export interface UsageLeases {
  /** Whether another node counted in between not long ago. Then counts take turns. */
  isContended(organizationId: string): boolean;
  /** Notes that a count was lost to another node. */
  lost(organizationId: string): void;
  /** Does the work in a turn of this process, together with what else it counts meanwhile. `turn` is the same for all of that. */
  take<T>(organizationId: string, work: (turn: object) => Promise<T>): Promise<T>;
}

/** How long counts take turns after the last one that was lost. */
const CONTENDED_MS = 1_000;
/** What comes later than this after the turn began waits for the next one. Others wait that long, and a batch or two fit in. */
const TURN_MS = 40;
/** A node that has the turn and hangs holds nobody up for longer. */
const PATIENCE_MS = 2_000;
/** Organizations that are remembered as contended. */
const MAX_CONTENDED = 10_000;

interface Turn {
  /** Undefined until the turn has begun. */
  beganAtMs: number | undefined;
  readonly begun: Promise<void>;
  working: number;
  end(): void;
}

/**
 * Nodes that count in one bucket make each other's commits fail: whoever loses has to read the bucket anew, and the other one wins again in
 * that time. So after a loss both take turns, and each gets done what it has: many counts in one turn.
 * Turns are about fairness. Correctness depends on the commits alone, so work goes on where no turn can be had.
 */
export function createUsageLeases(
  inTurn: InTurn,
  nowMs: () => number = () => performance.now(),
  patienceMs = PATIENCE_MS,
): UsageLeases {
  const contendedUntil = new Map<string, number>();
  const turns = new Map<string, Turn>();

  function begin(organizationId: string): Turn {
    const [begun, ended] = [gate(), gate()];
    const turn: Turn = { beganAtMs: undefined, begun: begun.opened, working: 0, end: ended.open };
    const start = () => {
      turn.beganAtMs ??= nowMs();
      begun.open();
    };
    const timer = setTimeout(start, patienceMs);
    const work = () => {
      start();
      return ended.opened;
    };
    const over = () => {
      clearTimeout(timer);
      start();
    };
    inTurn(`counts of ${organizationId}`, work).then(over, over);
    turns.set(organizationId, turn);
    return turn;
  }

  return {
    isContended(organizationId) {
      const until = contendedUntil.get(organizationId);
      if (until === undefined) return false;
      if (nowMs() < until) return true;
      contendedUntil.delete(organizationId);
      return false;
    },

    lost(organizationId) {
      if (contendedUntil.size >= MAX_CONTENDED) contendedUntil.clear();
      contendedUntil.set(organizationId, nowMs() + CONTENDED_MS);
    },

    async take(organizationId, work) {
      const open = turns.get(organizationId);
      const isOpen = open !== undefined && (open.beganAtMs === undefined || nowMs() - open.beganAtMs < TURN_MS);
      const turn = isOpen ? open : begin(organizationId);
      turn.working++;
      try {
        await turn.begun;
        return await work(turn);
      } finally {
        turn.working--;
        if (turn.working === 0) {
          if (turns.get(organizationId) === turn) turns.delete(organizationId);
          turn.end();
        }
      }
    },
  };
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
