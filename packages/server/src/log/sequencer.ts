import { emptyMapRoot, TlogError } from '@countersign/tlog';
import type { LogEntryRow, QueuedLogEntry } from '../store/rows.ts';
import { append } from './append.ts';
import { hasMoved, type Position } from './append-position.ts';
import { readChainHeads } from './chain-heads.ts';
import { aboutInstallation, type EntryContent, headVersionOf, INSTALLATION, type LogContent, type ReadEntry } from './entry.ts';
import { HeadTransitions } from './head-transitions.ts';
import { KnownMap } from './known-map.ts';
import type { LocalTreeState } from './local-tree-state.ts';
import { logAltered } from './log-error.ts';
import { createQueueChecks, type QueueCheckServices, type Queued } from './queue-checks.ts';

/** Entries per step: few enough not to delay other requests. */
export const STEP_ENTRIES = 128;

/** Yields to pending requests. Reading, verifying, hashing and writing the entries of a step take milliseconds each. */
const othersFirst = () => new Promise<void>((resolve) => setImmediate(resolve));

export interface SequencerServices extends QueueCheckServices {
  readonly view: LocalTreeState;
  /** Number of the epoch of this process. */
  readonly epoch: number;
  /** Whether a new log starts with a head map. */
  readonly startsWithMap: boolean;
}

/** The log content of an activity, and its organization. */
export type NotedContent = Pick<LogContent, 'fingerprint' | 'type' | 'status' | 'timeMs'> &
  Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'> & {
    /** 0 if the leaf names no head. */
    readonly headVersion: number;
  };

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
export function createSequencer(services: SequencerServices): Sequencer {
  const { store, integrity, view } = services;
  const { sound, refuse, refuseDoubled } = createQueueChecks(services);
  let remembered: { readonly position: Position; readonly map: KnownMap } | undefined;

  async function integrate(): Promise<Integrated | undefined> {
    const position = await view.refresh();
    const queued = await store.queued(STEP_ENTRIES);
    await othersFirst();
    const authentic = await sound(queued);
    await othersFirst();
    const first = position.size === 0 ? await firstEntry(services) : undefined;
    const from = first?.content.version === 2 ? { ...position, mapRoot: emptyMapRoot() } : position;
    const map = remembered?.position === position ? remembered.map : new KnownMap();
    const entries = await following(from, map, authentic);
    if (entries === undefined) return undefined;
    const all = first === undefined ? entries : [first, ...entries];
    if (all.length === 0) return undefined;
    const appended = append(integrity, from, map.heads, all, map.nodes);
    await othersFirst();
    const outcome = await store.integrate({
      ...appended.step,
      expected: position.size === 0 ? undefined : position,
      taken: entries.map(({ row }) => row.seq),
    });
    if (outcome === 'DOUBLED') await refuseDoubled(entries.map(({ row }) => row));
    if (outcome !== 'TAKEN') return undefined;
    view.advance(appended.position);
    remembered = map.advance(appended) ? { position: appended.position, map } : undefined;
    const contents = all.map(({ row, content }) => {
      const { organizationId, activityId, revision } = row;
      const { fingerprint, type, status, timeMs } = content;
      return { organizationId, activityId, revision, fingerprint, type, status, timeMs, headVersion: headVersionOf(content) };
    });
    return { from: position.size, contents, more: queued.length === STEP_ENTRIES };
  }

  /**
   * The entries that follow the state of the log, after their heads were loaded. The others are set aside with an alarm. Undefined if
   * another process has extended the log since its state was read.
   */
  async function following(position: Position, map: KnownMap, entries: readonly Queued[]): Promise<Queued[] | undefined> {
    try {
      if (position.mapRoot.length === 0) return await beforeMap(position, map, entries);
      await map.load(store, position.mapRoot, entries);
    } catch (error) {
      // It may contain nodes of another state.
      remembered = undefined;
      if (error instanceof TlogError && (await hasMoved(store, position))) return undefined;
      throw error;
    }
    const transitions = new HeadTransitions(map);
    const good: Queued[] = [];
    const bad: QueuedLogEntry[] = [];
    for (const entry of entries) {
      requireKnownEpoch(entry.content);
      const isOfEpoch = entry.content.version === 2 && entry.content.epoch === services.epoch;
      if (isOfEpoch && transitions.accepts(entry)) good.push(entry);
      else bad.push(entry.row);
    }
    // Heads that this process remembers may be outdated.
    if (bad.length > 0 && (await hasMoved(store, position))) return undefined;
    await refuse(bad, 'does not follow the state of the log: it was restored, or an entry before it was deleted');
    return good;
  }

  /** SECURITY: a process of an earlier epoch must not set the entries of a later one aside. */
  function requireKnownEpoch(content: EntryContent): void {
    if (content.version !== 2 || content.epoch <= services.epoch) return;
    throw logAltered(`it has entries of epoch ${content.epoch}, but this server is of epoch ${services.epoch}`);
  }

  /** A log of an earlier release has no head map yet. Entries that name heads wait until it has one. */
  async function beforeMap(position: Position, map: KnownMap, entries: readonly Queued[]): Promise<Queued[]> {
    const next = entries.findIndex(({ content }) => content.version === 2);
    const good = next === -1 ? [...entries] : entries.slice(0, next);
    const missing = [...new Set(good.map(({ row }) => row.organizationId))].filter((id) => !map.heads.has(id));
    for (const [id, head] of await readChainHeads(store, integrity, position, missing)) map.heads.set(id, head);
    return good;
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

/** The first leaf of a log records whether there were activities before it, which have no leaves. */
async function firstEntry({ store, startsWithMap, epoch, clock }: SequencerServices): Promise<ReadEntry> {
  const hasEarlier = await store.hasUnlogged();
  const status = hasEarlier ? 'AFTER_EARLIER_ACTIVITIES' : 'FROM_THE_FIRST_ACTIVITY';
  const content = {
    fingerprint: 'log',
    type: 'LOG_STARTED',
    status,
    decisionDigest: '',
    resultDigest: '',
    timeMs: clock.nowMs(),
  };
  return {
    row: { organizationId: INSTALLATION, activityId: 'log', revision: 0 },
    // Organizations from before the log have no entry. A map without them would reject them, so the baseline adds them.
    content: startsWithMap && !hasEarlier ? aboutInstallation(epoch, content) : content,
  };
}
