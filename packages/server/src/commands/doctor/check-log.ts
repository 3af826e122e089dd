import { TILE_WIDTH } from '@countersign/tlog';
import type { SeenCheckpoint } from '../../log/checkpoint-file.ts';
import { contentOf, INSTALLATION, isSystemChange } from '../../log/entry.ts';
import { leafVerifier, type VerifiedLeaf, verifiedLeaves } from '../../log/leaves.ts';
import { createLocalTreeState } from '../../log/local-tree-state.ts';
import { LogError, orAltered } from '../../log/log-error.ts';
import { leavesFrom } from '../../log/read-leaves.ts';
import { type Tree, treeReader } from '../../log/tree.ts';
import { toActivityRecord } from '../../organizations/activities/activity-record.ts';
import { markFits } from '../../organizations/activities/archived.ts';
import type { Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Finding } from './finding.ts';

const NEWEST = 10_000;
/** Activities of each organization to look up in the log. */
const NEWEST_OF_EACH = 100;
const ORGANIZATIONS_AT_ONCE = 100;
const TILES_AT_ONCE = 64;
const LATE_MS = 60_000;
/** Findings of one kind that are listed. */
const MAX_LISTED = 10;

const restore = 'Find out who wrote to the database, then restore it from a backup made before that.';

/**
 * Checks the log: its state, all tiles, the checkpoint of this server, queued entries, and the newest leaves against their activities.
 */
export async function checkLog(
  store: Store,
  integrity: Integrity,
  readSeenCheckpoints: () => Promise<readonly (SeenCheckpoint | undefined)[]>,
  nowMs: number,
  newest = NEWEST,
): Promise<readonly Finding[]> {
  try {
    const checkpoints = (await readSeenCheckpoints()).filter((checkpoint) => checkpoint !== undefined);
    for (const checkpoint of checkpoints) await createLocalTreeState(store.log, integrity, checkpoint).refresh();
    const { size, root } = await createLocalTreeState(store.log, integrity).refresh();
    if (size === 0) return [{ check: 'log', ok: true, detail: 'the log starts with the service' }];
    await checkTiles(store.log, { size, root });
    const entries = size === 1 ? '1 entry' : `${size} entries`;
    const detail = `${entries}: the tiles verify${checkpoints.length === 0 ? '' : ', and the log extends everything that this server saw'}`;
    const differing = [
      ...(await differences(store, integrity, { size, root }, newest)),
      ...(await unlogged(store, integrity, { size, root })),
    ];
    return [{ check: 'log', ok: true, detail }, ...(await checkQueue(store.log, nowMs)), ...toFindings(differing)];
  } catch (error) {
    if (error instanceof LogError) return [{ check: 'log', ok: false, detail: error.message, fix: error.fix }];
    throw error;
  }
}

/** Reading one hash of a tile verifies the whole tile, and those above it. */
function checkTiles(log: Store['log'], tree: Tree): Promise<void> {
  return orAltered(async () => {
    const step = TILE_WIDTH * TILES_AT_ONCE;
    for (let start = 0; start < tree.size; start += step) {
      const places = [];
      for (let index = start; index < Math.min(tree.size, start + step); index += TILE_WIDTH) places.push({ level: 0, index });
      await treeReader(log, tree).read(places);
    }
  });
}

async function checkQueue(log: Store['log'], nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const refused = await log.refusedCount();
  if (refused > 0) {
    const detail = `${refused} log entries were not written by this installation, or were restored; they are in log_refused`;
    findings.push({ check: 'log', ok: false, detail, fix: 'Find out who wrote to the database.' });
  }
  const [oldest] = await log.queued(1);
  const { timeMs = nowMs } = oldest === undefined ? {} : (JSON.parse(oldest.body) as { timeMs?: number });
  if (nowMs - timeMs > LATE_MS) {
    const detail = `a log entry is queued since ${new Date(timeMs).toISOString()}`;
    const fix = 'Start a server: each one integrates queued entries. If one is running, its log shows why it does not.';
    findings.push({ check: 'log', ok: false, detail, fix });
  }
  return findings;
}

function toFindings(differing: readonly string[]): Finding[] {
  const more = differing.length > MAX_LISTED ? [`and ${differing.length - MAX_LISTED} more`] : [];
  return [...differing.slice(0, MAX_LISTED), ...more].map((detail) => ({ check: 'log', ok: false, detail, fix: restore }));
}

/** Compares the newest leaves with the activities that they are about. */
async function differences(store: Store, integrity: Integrity, tree: Tree, newest: number): Promise<string[]> {
  const differing: string[] = [];
  for await (const leaves of leavesFrom(store.log, integrity, tree, Math.max(0, tree.size - newest), 'STORED')) {
    for (const leaf of leaves) {
      const hasActivity = leaf.row.organizationId !== INSTALLATION && !isSystemChange(leaf.row);
      const difference = hasActivity ? await differenceOf(store, integrity, leaf) : undefined;
      if (difference !== undefined) differing.push(difference);
    }
  }
  return differing;
}

async function differenceOf(store: Store, integrity: Integrity, leaf: VerifiedLeaf): Promise<string | undefined> {
  const { row, opening } = leaf;
  const { organizationId, activityId, revision } = row;
  const stored = await store.activities.get(organizationId, activityId);
  const name = `activity ${activityId} of ${organizationId}`;
  if (stored === undefined)
    return (await isArchived(store, integrity, leaf)) ? undefined : `${name} is in the log, but its row is missing`;
  if (stored.revision < revision) return `${name} was rolled back to an earlier state than in the log`;
  const record = toActivityRecord(integrity, stored);
  if (record === undefined) return `${name} was changed outside the service`;
  const { fingerprint, type, ...rest } = contentOf(record);
  const same =
    fingerprint === opening.fingerprint &&
    type === opening.type &&
    // The decision of an earlier step is only in the log.
    (stored.revision > revision || Object.entries(rest).every(([field, value]) => opening[field as keyof typeof rest] === value));
  return same ? undefined : `${name} does not match the log`;
}

/** Whether the row of a leaf was moved into an archive file. */
async function isArchived(store: Store, integrity: Integrity, { row, opening }: VerifiedLeaf): Promise<boolean> {
  const mark = await store.archive.get(row.organizationId, row.activityId);
  return (
    mark !== undefined && markFits(integrity, mark) && mark.fingerprint === opening.fingerprint && mark.revision >= row.revision
  );
}

/** Finds activities that are younger than the log and not in it: their entries were deleted before they became leaves. */
async function unlogged(store: Store, integrity: Integrity, tree: Tree): Promise<string[]> {
  const [first] = await verifiedLeaves(store.log, leafVerifier(store.log, integrity, tree), 0, 1);
  const missing: { organizationId: string; id: string }[] = [];
  let looked = 0;
  for (let after = ''; looked < NEWEST; ) {
    const ids = await store.organizations.scan(after, ORGANIZATIONS_AT_ONCE);
    for (const organizationId of ids) {
      const rows = await store.activities.page(organizationId, {}, { limit: NEWEST_OF_EACH });
      looked += rows.length;
      for (const row of rows) {
        const isYounger = (toActivityRecord(integrity, row)?.createdAtMs ?? 0) > (first?.opening.timeMs ?? 0);
        if (isYounger && (await store.log.leafOf(organizationId, row.id)) === undefined) missing.push(row);
      }
    }
    if (ids.length < ORGANIZATIONS_AT_ONCE) break;
    after = ids.at(-1) as string;
  }
  if (missing.length === 0) return [];
  // A queued entry is not lost, and may have become a leaf since.
  const waiting = new Set(
    (await store.log.queued(NEWEST)).map(({ organizationId, activityId }) => `${organizationId}/${activityId}`),
  );
  const lost: string[] = [];
  for (const { organizationId, id } of missing) {
    if (waiting.has(`${organizationId}/${id}`) || (await store.log.leafOf(organizationId, id)) !== undefined) continue;
    lost.push(`activity ${id} of ${organizationId} is neither in the log nor queued`);
  }
  return lost;
}
