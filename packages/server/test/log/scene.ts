import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyChain, type OpenedLeaf, parseOpening, treeRoot, verifyChain } from '@countersign/tlog';
import { expect, onTestFinished } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { type HeadContent, type LogContent, sealHeadEntry } from '../../src/log/entry.ts';
import { createLocalTreeState, type LocalTreeState } from '../../src/log/local-tree-state.ts';
import { leavesFrom } from '../../src/log/read-leaves.ts';
import { createSequencer, type Sequencer } from '../../src/log/sequencer.ts';
import { treeReader } from '../../src/log/tree.ts';
import type { LogEntryRow } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';

export const { integrity } = openIntegrity(new Secret(new Uint8Array(32).fill(7)));

/** A database, and processes that keep its log. */
export interface Scene {
  readonly store: Store;
  readonly alarms: string[];
  /** What was queued, in order. */
  readonly queued: LogEntryRow[];
  /** Queues a step of an activity of an organization. */
  queue(organizationId: string, activityId: string, revision?: number, about?: Partial<HeadContent>): Promise<LogEntryRow>;
  /** A process of its own, on this store or on one that fails. */
  process(log?: Store['log'], epoch?: number, nowMs?: number): { readonly view: LocalTreeState; readonly sequencer: Sequencer };
  /** Runs SQL as somebody who writes the database. */
  execute(sql: string): void;
}

/** By default the log has a head map. */
export async function openScene({ withMap = true } = {}): Promise<Scene> {
  const directory = makeDataDirectory('log');
  const file = join(directory, 'countersign.db');
  const store = await openSqlite({ file });
  onTestFinished(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const alarms: string[] = [];
  const queued: LogEntryRow[] = [];
  return {
    store,
    alarms,
    queued,
    async queue(organizationId, activityId, revision = 0, about = {}) {
      const isNew = !queued.some((entry) => entry.organizationId === organizationId);
      const created = isNew ? { created: [{ organizationId, ...headOf(organizationId) }] } : {};
      const entry = withMap
        ? entryOf(organizationId, activityId, revision, { ...created, ...about })
        : entryBefore(organizationId, activityId, revision);
      await store.log.enqueue(entry);
      queued.push(entry);
      return entry;
    },
    process(log = store.log, epoch = 1, nowMs = 1_000) {
      const view = createLocalTreeState(log, integrity);
      const alarm = (_: string, what: string) => void alarms.push(what);
      const services = { store: log, integrity, view, clock: { nowMs: () => nowMs }, alarm, epoch, startsWithMap: withMap };
      return { view, sequencer: createSequencer(services) };
    },
    execute(sql) {
      const db = openSqliteFile(file);
      db.exec(sql);
      db.close();
    },
  };
}

/** The head of an organization at a version. */
export function headOf(organizationId: string, headVersion = 1) {
  return { headVersion, headDigest: createHash('sha256').update(`${organizationId} ${headVersion}`).digest('hex') };
}

function contentOf(activityId: string, revision: number): LogContent {
  const fingerprint = `sha256:${createHash('sha256').update(activityId).digest('hex')}`;
  const digests = { decisionDigest: '', resultDigest: '' };
  const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
  return { fingerprint, type, status: 'ACTIVITY_STATUS_COMPLETED', ...digests, timeMs: 1_000 + revision };
}

/** The entry of an activity, whose fingerprint follows from its id. Its organization is at version 1 unless `about` says otherwise. */
export function entryOf(organizationId: string, activityId: string, revision = 0, about: Partial<HeadContent> = {}): LogEntryRow {
  const authorization = { credentialKind: 'API_KEY', authorizationDigest: 'a'.repeat(64) };
  const heads = { epoch: 1, ...authorization, ...headOf(organizationId) };
  const content = { ...contentOf(activityId, revision), ...heads, ...about };
  return sealHeadEntry(integrity, { organizationId, activityId, revision }, content);
}

/** An entry as an earlier release wrote it. */
export function entryBefore(organizationId: string, activityId: string, revision = 0): LogEntryRow {
  const body = JSON.stringify(contentOf(activityId, revision));
  const entry = { organizationId, activityId, revision, format: 1, body };
  return { ...entry, mac: integrity.logEntry(entry) };
}

/** Integrates until nothing waits. */
export async function integrateAll({ sequencer }: { readonly sequencer: Sequencer }): Promise<void> {
  while ((await sequencer.integrate()) !== undefined);
}

/**
 * Checks the whole log: no holes, no doubles, every entry in the order of its organization, all of it under the root, and the root
 * computed here once more, as RFC 6962 defines it.
 */
export async function expectSound({ store, queued, process }: Scene): Promise<void> {
  const { view } = process();
  const { size, root } = await view.refresh();
  expect(size).toBe(queued.length + 1);
  const leaves = [];
  for await (const part of leavesFrom(store.log, integrity, { size, root }, 0)) leaves.push(...part);
  expect(leaves.map(({ row }) => row.leafIndex)).toEqual(Array.from({ length: size }, (_, index) => index));
  expect(leaves[0]?.opening.type).toBe('LOG_STARTED');
  const keyOf = ({ organizationId, activityId, revision }: Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>) =>
    `${organizationId}/${activityId}/${revision}`;
  for (const organizationId of new Set(queued.map((entry) => entry.organizationId))) {
    const own = leaves.filter(({ row }) => row.organizationId === organizationId);
    expect(own.map(({ row }) => keyOf(row))).toEqual(
      queued.filter((entry) => entry.organizationId === organizationId).map(keyOf),
    );
    const [head] = await store.log.heads([organizationId]);
    const claimed = head && { sequence: head.sequence, leafHash: Buffer.from(head.leafHash).toString('hex') };
    const opened: OpenedLeaf[] = own.map(({ row, salt }) => ({ opening: parseOpening(Buffer.from(row.opening)), salt }));
    expect(verifyChain(organizationId, opened, claimed ?? emptyChain)).toEqual({ ok: true });
  }
  const sha256 = (...parts: Uint8Array[]) => new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());
  const rootOf = (data: readonly Uint8Array[]): Uint8Array => {
    if (data.length === 1) return sha256(Uint8Array.of(0), data[0] as Uint8Array);
    const left = 2 ** Math.floor(Math.log2(data.length - 1));
    return sha256(Uint8Array.of(1), rootOf(data.slice(0, left)), rootOf(data.slice(left)));
  };
  expect(root).toEqual(rootOf(leaves.map(({ row }) => row.commitment)));
  expect(await treeRoot(size, treeReader(store.log, { size, root }))).toEqual(root);
  expect(await store.log.queued(1)).toEqual([]);
}
