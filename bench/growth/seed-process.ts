import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import { toActivityRow } from '../../packages/server/src/organizations/activity-record.ts';
import { seal } from '../../packages/server/src/organizations/seal.ts';
import { openService } from '../../packages/server/src/service.ts';
import { type Growing, recordsOf } from './records.ts';

// Fills organizations with records of one kind, many in one commit, as the activities that make them would write them. Then reads each
// whole organization from the database, and tells how long that took and how long nothing else could run.

/** An organization to fill. */
export interface Order {
  readonly organizationId: string;
  readonly kind: Growing;
  readonly count: number;
}

/** What reading it cost. */
export interface ColdLoad {
  readonly coldMs: number;
  readonly blockedMs: number;
}

const BATCH = 2_500;
const [dataDir = ''] = process.argv.slice(2);

const { services, close } = await openService(readConfig({ dataDir, snapshotMegabytes: '4096' }, {}), {
  log: pino({ level: 'silent' }),
});
const { vault, store, snapshots, newId } = services;

async function fill({ organizationId, kind, count }: Order): Promise<void> {
  for (let made = 0; made < count; made += BATCH) {
    const organization = await snapshots.get(organizationId);
    if (organization === undefined) throw new Error('the organization to fill does not exist');
    const size = Math.min(BATCH, count - made);
    const changes = Array.from({ length: size }, (_, index) => recordsOf(kind, made + index, newId)).flat();
    const { writes, head, next } = seal(vault.integrity, organization, changes);
    if (head === undefined || next === undefined) throw new Error('nothing was sealed');
    const activity = toActivityRow(vault.integrity, activityOf(organizationId), 0);
    const [outcome] = await store.commit([{ organizationId, expected: organization.head, head, activity, writes }]);
    if (outcome?.taken !== true) throw new Error(`a batch was refused: ${JSON.stringify(outcome)}`);
    snapshots.replace(next);
  }
}

function activityOf(organizationId: string) {
  const id = newId();
  return {
    id,
    organizationId,
    type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
    status: 'ACTIVITY_STATUS_COMPLETED' as const,
    fingerprint: `seed:${id}`,
    timestampMs: String(Date.now()),
    intent: {},
    result: {},
    failure: null,
    votes: [],
    decisions: [],
    createdAtMs: Date.now(),
    updatedAtMs: Date.now(),
  };
}

/** The first reading counts: later ones find policies of the same content compiled. */
async function load({ organizationId }: Order): Promise<ColdLoad> {
  snapshots.drop(organizationId);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await snapshots.get(organizationId);
  const coldMs = performance.now() - startedAt;
  delay.disable();
  snapshots.drop(organizationId);
  return { coldMs, blockedMs: delay.max / 1e6 };
}

process.on('message', (order: Order) => {
  void fill(order)
    .then(() => load(order))
    .then((cold) => process.send?.(cold));
});
process.send?.('ready');
await once(process, 'disconnect');
await close();
