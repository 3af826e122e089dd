import { join } from 'node:path';
import { ServiceError } from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import { type ArchiveFacts, readArchiveRow, spanFits } from '../organizations/activities/archived.ts';
import type { LogStore } from '../store/log-store.ts';
import type { ArchiveSpanRow, LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { readArchive } from './archive-file.ts';
import { BackupError } from './backup-error.ts';

/** Files in memory. Each has the leaves of up to 5,000 activities. */
const FILES = 2;

export interface ArchivedLeavesOptions {
  readonly archive: Pick<Store['archive'], 'file'>;
  readonly integrity: Integrity;
  /** Where to look for files that are not where they were written. */
  readonly directory: string;
}

/**
 * A log whose leaves are also read from archive files. For proofs and exports: work that must not wait for files reads the store.
 * INVARIANT: callers verify every leaf against the tree, so a file decides nothing. It is authenticated nevertheless: its digest is in the
 * record of the file, which has a MAC.
 */
export function withArchivedLeaves(log: LogStore, { archive, integrity, directory }: ArchivedLeavesOptions): LogStore {
  const files = new LRUCache<string, Promise<readonly LogLeafRow[]>>({ max: FILES });
  let turn: Promise<unknown> = Promise.resolve();

  /** One file at a time. Otherwise requests for many old leaves would fill the memory. */
  function readInTurn(name: string): Promise<readonly LogLeafRow[]> {
    const reading = turn.then(() => read(name));
    turn = reading.catch(() => undefined);
    return reading;
  }

  async function read(name: string): Promise<readonly LogLeafRow[]> {
    const record = await archive.file(name);
    const facts = record && readArchiveRow(integrity, record);
    if (facts === undefined) return [];
    for (const place of [facts.directory, directory]) {
      const found = place === undefined ? undefined : await readIfThere(join(place, name), integrity, facts);
      if (found !== undefined) return found;
    }
    throw new ServiceError(
      'ACTIVITY_ARCHIVED',
      `A log entry of this time is in the archive file ${name}, which the service cannot read. Ask the operator to put it into ${facts.directory ?? directory}.`,
    );
  }

  /** The leaves of spans that this installation wrote. */
  async function leavesIn(spans: readonly ArchiveSpanRow[]): Promise<readonly LogLeafRow[]> {
    const names = new Set(spans.filter((span) => spanFits(integrity, span)).map((span) => span.archive));
    const leaves: LogLeafRow[] = [];
    for (const name of names) {
      const reading = files.get(name) ?? readInTurn(name);
      files.set(name, reading);
      // A file that could not be read is looked for again.
      reading.catch(() => files.delete(name));
      for (const leaf of await reading) leaves.push(leaf);
    }
    return leaves;
  }

  return {
    ...log,
    async leaves(start, end) {
      const rows = await log.leaves(start, end);
      if (rows.length === end - start) return rows;
      const archived = await leavesIn(await log.spansBetween(start, end));
      return merged(
        rows,
        archived.filter(({ leafIndex }) => leafIndex >= start && leafIndex < end),
        ({ leafIndex }) => leafIndex,
      );
    },
    async leavesOf(organizationId, from, limit) {
      const rows = await log.leavesOf(organizationId, from, limit);
      if (rows.every(({ sequence }, at) => sequence === from + at)) return rows;
      const below = from + limit;
      const own = (leaf: LogLeafRow) => leaf.organizationId === organizationId && leaf.sequence >= from && leaf.sequence < below;
      const archived = await leavesIn(await log.spansOf(organizationId, from, below));
      return merged(rows, archived.filter(own), ({ sequence }) => sequence).slice(0, limit);
    },
    async leafOf(organizationId, activityId, revision) {
      const row = await log.leafOf(organizationId, activityId, revision);
      if (row !== undefined) return row;
      const archived = await leavesIn(await log.spansAround(organizationId, activityId));
      const own = archived.filter((leaf) => leaf.organizationId === organizationId && leaf.activityId === activityId);
      return revision === undefined ? own.at(-1) : own.find((leaf) => leaf.revision === revision);
    },
  };
}

/** Stored and archived leaves in order. A file whose rows were only partly removed has leaves that are stored too. */
function merged(
  stored: readonly LogLeafRow[],
  archived: readonly LogLeafRow[],
  orderOf: (leaf: LogLeafRow) => number,
): readonly LogLeafRow[] {
  const byOrder = new Map([...archived, ...stored].map((leaf) => [orderOf(leaf), leaf]));
  return [...byOrder.values()].sort((a, b) => orderOf(a) - orderOf(b));
}

/** The leaves in a file, in the order of activities and revisions. Undefined if it is not there, or is another file. */
async function readIfThere(file: string, integrity: Integrity, facts: ArchiveFacts): Promise<readonly LogLeafRow[] | undefined> {
  try {
    const { activities, end } = await readArchive(file, integrity);
    return end.digest === facts.digest ? activities.flatMap(({ leaves }) => leaves) : undefined;
  } catch (error) {
    if (error instanceof BackupError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}
