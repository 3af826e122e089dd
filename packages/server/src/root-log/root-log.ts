import { formatShardEntry, type VerifierKey } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { WitnessSetting } from '../config/witnesses.ts';
import { LogError } from '../log/log-error.ts';
import type { SignedTree } from '../log/witness/witness-client.ts';
import { createWitnessPoller, type WitnessAge } from '../log/witness/witness-poller.ts';
import type { WitnessStorage } from '../witness/witness-storage.ts';
import type { RootTree } from './root-tree.ts';

export interface RootLogServices {
  readonly tree: RootTree;
  /** The verifier key of each shard's log, by the number of the shard. */
  readonly shards: ReadonlyMap<number, VerifierKey>;
  /** The checkpoints that the witness of the shards has cosigned. */
  readonly cosigned: Pick<WitnessStorage, 'read'>;
  /** Witnesses of the root log itself. */
  readonly witnesses: readonly WitnessSetting[];
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A log of the checkpoints of shards. */
export interface RootLog {
  /** Appends the newest cosigned checkpoint of each shard that has a new one. Does nothing while the log is suspended. */
  round(): Promise<void>;
  /** Why nothing is appended and nothing may be cosigned. Undefined if all is well. */
  error(): LogError | undefined;
  /** The checkpoint for readers: the newest cosigned one, or the newest if witnesses do not respond. */
  shown(): SignedTree;
  /** The index of the newest entry of a shard that a tree of this size has. */
  newest(shard: number, size: number): number | undefined;
  /** What an operator watches. */
  state(): Promise<RootLogState>;
  /** Asks the witnesses, before the first round, and then in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RootLogState {
  readonly entries: number;
  /** Milliseconds since the newest entry of each shard, by its number. A shard without one counts from the start of this process. */
  readonly entryAges: ReadonlyMap<number, number>;
  /** Shards whose newest cosigned checkpoint is not entered, or that have shown none. */
  readonly behind: number;
  readonly witnesses: readonly WitnessAge[];
  readonly isSuspended: boolean;
}

/** How long a cosigned checkpoint is shown although the log has grown. */
const SHOW_COSIGNED_MS = 60_000;
/** Entries of a shard to remember, for readers of a checkpoint that is not the newest. */
const REMEMBERED = 16;

export function createRootLog({ tree, shards, cosigned, witnesses, log }: RootLogServices): RootLog {
  const poller = createWitnessPoller({
    witnesses,
    published: () => tree.published,
    // This process alone appends.
    catchUp: async () => undefined,
    consistencyProof: (oldSize, at) => tree.consistencyProof(oldSize, at),
    nowMs: Date.now,
    log,
    alarm: (what) => log.error(`the root log is suspended: ${what}`),
  });
  /** The text of the last entry of each shard. Empty after a start: the newest checkpoints are then appended again. */
  const last = new Map<number, string>();
  const places = new Map<number, number[]>();
  const startedAtMs = performance.now();
  const enteredAtMs = new Map<number, number>();

  /**
   * SECURITY: D645: the directory may be an older copy. So a log with witnesses waits until one of them has confirmed it since the start:
   * an absent witness is not a silent one.
   */
  function error(): LogError | undefined {
    return poller.error() ?? (witnesses.length > 0 && poller.cosigned() === undefined ? unconfirmed() : undefined);
  }

  async function newEntries(): Promise<readonly { readonly shard: number; readonly text: string; readonly bytes: Uint8Array }[]> {
    const found = await Promise.all(
      [...shards].map(async ([shard, key]) => ({ shard, key, text: (await cosigned.read(key.name))?.note.text })),
    );
    return found.flatMap(({ shard, key, text }) =>
      text === undefined || text === last.get(shard) ? [] : [{ shard, text, bytes: formatShardEntry({ shard, key, text }) }],
    );
  }

  return {
    async round() {
      if (error() !== undefined) return;
      const entries = await newEntries();
      if (entries.length === 0) return;
      const { size } = tree.published;
      await tree.append(entries.map(({ bytes }) => bytes));
      for (const [at, { shard, text }] of entries.entries()) {
        last.set(shard, text);
        enteredAtMs.set(shard, performance.now());
        places.set(shard, [size + at, ...(places.get(shard) ?? [])].slice(0, REMEMBERED));
      }
      poller.notify();
    },
    error,
    shown() {
      const seen = poller.cosigned();
      const isFresh =
        seen !== undefined && (seen.size === tree.published.size || performance.now() - seen.atMs < SHOW_COSIGNED_MS);
      return isFresh ? seen : tree.published;
    },
    newest: (shard, size) => places.get(shard)?.find((index) => index < size),
    async state() {
      const waiting = new Set((await newEntries()).map(({ shard }) => shard));
      return {
        entries: tree.published.size,
        entryAges: new Map(
          [...shards.keys()].map((shard) => [shard, performance.now() - (enteredAtMs.get(shard) ?? startedAtMs)]),
        ),
        behind: [...shards.keys()].filter((shard) => waiting.has(shard) || !last.has(shard)).length,
        witnesses: poller.ages(),
        isSuspended: error() !== undefined,
      };
    },
    async start() {
      if (witnesses.length === 0) return;
      await poller.ask();
      poller.start();
    },
    stop: poller.stop,
  };
}

const unconfirmed = () =>
  new LogError(
    'No witness has confirmed the root log since it started.',
    'Check --witnesses, that each witness has the key of this log, and the network to them.',
  );
