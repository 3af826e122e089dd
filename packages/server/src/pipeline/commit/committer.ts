import { createCommitQueue } from '../../admission/index.ts';
import { unloggedHead } from '../../store/commit-rules.ts';
import type { Commit, CommitOutcome, Store } from '../../store/store.ts';

/** Batches commits that are ready at the same time into one durable transaction. */
export interface Committer {
  commit(entry: Commit): Promise<CommitOutcome>;
  /** Resolves when every queued commit is durable or rejected. */
  drain(): Promise<void>;
}

interface Waiting {
  readonly entry: Commit;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

/** INVARIANT: a promise resolves only after the transaction with its entry is durable. At most one transaction runs at a time. */
export function createCommitter(
  store: Pick<Store, 'commit'>,
  onBatch: (size: number) => void = () => {},
  commitReady: () => Promise<void> = () => new Promise((resolve) => setImmediate(resolve)),
): Committer {
  const queue = createCommitQueue<Waiting>(({ entry }) => ({ flow: entry.organizationId, characters: charactersOf(entry) }));
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Wait, so that other requests that are almost ready can join the batch.
    await commitReady();
    while (queue.size() > 0) {
      const batch = queue.takeBatch();
      onBatch(batch.length);
      try {
        const outcomes = await store.commit(batch.map((waiting) => waiting.entry));
        batch.forEach((waiting, index) => {
          waiting.resolve(outcomes[index] as CommitOutcome);
        });
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    running = undefined;
  }

  return {
    async commit(entry) {
      const detail = unloggedHead(entry);
      if (detail !== undefined) return { taken: false, reason: 'INVALID', detail };
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

/** Total length of the texts in an entry. */
function charactersOf({ activity, writes }: Commit): number {
  let characters = activity?.body.length ?? 0;
  for (const { row } of writes) if ('body' in row) characters += row.body.length;
  return characters;
}
