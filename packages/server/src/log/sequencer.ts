import { type ChainHead, TlogError } from '@countersign/tlog';
import type { LogEntryRow, QueuedLogEntry } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { append, type ReadEntry } from './append.ts';
import type { Position } from './append-position.ts';
import { INSTALLATION, type LogContent, readLogEntry } from './entry.ts';
import type { LocalTreeState } from './local-tree-state.ts';
import { logAltered } from './log-error.ts';

/** Entries per step: few enough not to delay other requests. */
export const STEP_ENTRIES = 128;
/** Organizations whose last leaf is remembered. */
const MAX_HEADS = 10_000;

/** Yields to pending requests. Reading, verifying, hashing and writing the entries of a step take milliseconds each. */
const othersFirst = () => new Promise<void>((resolve) => setImmediate(resolve));

export interface SequencerServices {
  readonly store: Store['log'];
  readonly integrity: Integrity;
  readonly view: LocalTreeState;
  readonly clock: { nowMs(): number };
  alarm(organizationId: string, what: string): void;
}

/** The log content of an activity, and its organization. */
export type NotedContent = Pick<LogContent, 'fingerprint' | 'type' | 'timeMs'> &
  Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>;

/** Outcome of one step. */
export interface Integrated {
  /** The leaves that it added are those from here up to the new size. */
  readonly from: number;
  readonly contents: readonly NotedContent[];
  /** Whether more entries may be queued. */
  readonly more: boolean;
}

export interface Sequencer {
  /** Integrates the oldest queued entries. Undefined if there were none, or another process integrated them. */
  integrate(): Promise<Integrated | undefined>;
}

/**
 * Assigns every entry its index in the log. Any number of processes may run a sequencer.
 * INVARIANT: the state is read before the entries, and a step is committed only on that state. So no entry is integrated twice or
 * skipped, and a process that dies leaves no partial step.
 */
export function createSequencer({ store, integrity, view, clock, alarm }: SequencerServices): Sequencer {
  let remembered: { readonly position: Position; readonly heads: Map<string, ChainHead> } | undefined;

  async function integrate(): Promise<Integrated | undefined> {
    const position = await view.refresh();
    const heads = remembered?.position === position ? remembered.heads : new Map<string, ChainHead>();
    const queued = await store.queued(STEP_ENTRIES);
    await othersFirst();
    const entries = await sound(queued);
    await othersFirst();
    const first = position.size === 0 ? [await start()] : [];
    if (entries.length + first.length === 0) return undefined;
    await loadHeads(heads, entries);
    const appended = append(integrity, position, heads, [...first, ...entries]);
    await othersFirst();
    const outcome = await store.integrate({
      ...appended.step,
      expected: position.size === 0 ? undefined : position,
      taken: entries.map(({ row }) => row.seq),
    });
    if (outcome === 'DOUBLED') await refuseDoubled(entries.map(({ row }) => row));
    if (outcome !== 'TAKEN') return undefined;
    view.advance(appended.position);
    for (const [id, head] of appended.heads) heads.set(id, head);
    remembered = heads.size > MAX_HEADS ? undefined : { position: appended.position, heads };
    const contents = [...first, ...entries].map(({ row, content }) => {
      const { organizationId, activityId, revision } = row;
      const { fingerprint, type, timeMs } = content;
      return { organizationId, activityId, revision, fingerprint, type, timeMs };
    });
    return { from: position.size, contents, more: queued.length === STEP_ENTRIES };
  }

  /** The entries that this installation wrote, each once. The others are set aside with an alarm. */
  async function sound(queued: readonly QueuedLogEntry[]) {
    const bad: QueuedLogEntry[] = [];
    const seen = new Set<string>();
    const good: { readonly row: QueuedLogEntry; readonly content: LogContent }[] = [];
    for (const row of queued) {
      const content = readLogEntry(integrity, row);
      const key = `${row.organizationId}/${row.activityId}/${row.revision}`;
      if (content === undefined || seen.has(key)) bad.push(row);
      else {
        seen.add(key);
        good.push({ row, content });
      }
    }
    await refuse(bad, 'was changed, inserted or repeated outside the service');
    return good;
  }

  async function refuse(entries: readonly QueuedLogEntry[], why: string): Promise<void> {
    for (const { organizationId, activityId } of entries)
      alarm(organizationId, `a log entry of the activity ${activityId} ${why}`);
    if (entries.length > 0) await store.refuse(entries);
  }

  /** The first leaf of a log records whether there were activities before it, which have no leaves. */
  async function start(): Promise<ReadEntry> {
    const status = (await store.hasUnlogged()) ? 'AFTER_EARLIER_ACTIVITIES' : 'FROM_THE_FIRST_ACTIVITY';
    const digests = { decisionDigest: '', resultDigest: '' };
    return {
      row: { organizationId: INSTALLATION, activityId: 'log', revision: 0 },
      content: { fingerprint: 'log', type: 'LOG_STARTED', status, ...digests, timeMs: clock.nowMs() },
    };
  }

  async function loadHeads(heads: Map<string, ChainHead>, entries: readonly ReadEntry[]): Promise<void> {
    const missing = [...new Set(entries.map(({ row }) => row.organizationId))].filter((id) => !heads.has(id));
    for (const head of missing.length === 0 ? [] : await store.heads(missing)) {
      if (!macsEqual(integrity.logHead(head), head.mac))
        throw logAltered(`the last leaf of ${head.organizationId} was changed outside the service`);
      heads.set(head.organizationId, {
        sequence: head.sequence,
        leafHash: Buffer.from(head.leafHash).toString('hex'),
      });
    }
  }

  /** Finds queued entries that are leaves already: they were reinserted into the database. */
  async function refuseDoubled(entries: readonly QueuedLogEntry[]): Promise<void> {
    const doubled: QueuedLogEntry[] = [];
    for (const entry of entries) {
      const leaf = await store.leafOf(entry.organizationId, entry.activityId, entry.revision);
      if (leaf !== undefined) doubled.push(entry);
    }
    if (doubled.length === 0)
      throw logAltered('it has leaves beyond its state, or the last leaf of an organization was rolled back');
    await refuse(doubled, 'was already in the log and was restored');
  }

  return {
    async integrate() {
      try {
        return await integrate();
      } catch (error) {
        if (error instanceof TlogError) throw logAltered(error.message, { cause: error });
        throw error;
      }
    },
  };
}
