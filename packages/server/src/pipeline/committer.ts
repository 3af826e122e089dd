import type { Commit, CommitOutcome, Store } from '../store/store.ts';

/** Gathers commits that are ready at the same time into one durable transaction. */
export interface Committer {
  commit(entry: Commit): Promise<CommitOutcome>;
  /** Resolves when everything handed in is durable or refused. */
  drain(): Promise<void>;
}

/** Waits until this process may write, where several take turns; what comes back ends the turn. */
export type TakeTurn = () => Promise<() => void>;

interface Waiting {
  readonly entry: Commit;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

const MAX_BATCH = 256;
/** Enough for any batch of usual requests; large ones go in smaller batches, so that nobody waits for too many of them. */
const MAX_BATCH_CHARACTERS = 8_388_608;

/** INVARIANT: a promise resolves only after the transaction that holds its entry is durable. One transaction is under way at a time. */
export function createCommitter(
  store: Pick<Store, 'commit'>,
  onBatch: (size: number) => void = () => {},
  takeTurn?: TakeTurn,
): Committer {
  let queue: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Lets every request that is ready in this turn of the event loop join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const endTurn = await takeTurn?.();
      const count = fitting(queue);
      const batch = queue.slice(0, count);
      queue = queue.slice(count);
      onBatch(batch.length);
      try {
        const outcomes = await store.commit(batch.map((waiting) => waiting.entry));
        batch.forEach((waiting, index) => {
          waiting.resolve(outcomes[index] as CommitOutcome);
        });
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
      endTurn?.();
    }
    running = undefined;
  }

  return {
    commit(entry) {
      return new Promise((resolve, reject) => {
        queue.push({ entry, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      while (running !== undefined) await running;
    },
  };
}

/** How many of those who wait make one batch: at least one. */
function fitting(queue: readonly Waiting[]): number {
  let characters = 0;
  const end = queue.findIndex(({ entry: { activity, writes } }, index) => {
    characters += activity?.body.length ?? 0;
    for (const { row } of writes) if ('body' in row) characters += row.body.length;
    return index === MAX_BATCH || (index > 0 && characters > MAX_BATCH_CHARACTERS);
  });
  return end === -1 ? queue.length : end;
}
