import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import { toActivityRow } from '../../packages/server/src/organizations/activity-record.ts';
import { seal } from '../../packages/server/src/organizations/seal.ts';
import { openService } from '../../packages/server/src/service.ts';
import { isGrowing, recordsOf } from './records.ts';

// Fills an organization with records of one kind, many in one commit, as the activities that make them would write them. Then reads the
// whole organization from the database a few times, and tells how long that took and how long nothing else could run.
const [dataDir = '', organizationId = '', kind = '', count = '0'] = process.argv.slice(2);
if (!isGrowing(kind)) throw new Error(`no records of the kind ${kind}`);
const BATCH = 1000;
const LOADS = 3;

const { services, close } = await openService(readConfig({ dataDir }, {}), { log: pino({ level: 'silent' }) });
const { vault, store, snapshots, newId } = services;

for (let made = 0; made < Number(count); made += BATCH) {
  const organization = await snapshots.get(organizationId);
  if (organization === undefined) throw new Error('the organization to fill does not exist');
  const size = Math.min(BATCH, Number(count) - made);
  const changes = Array.from({ length: size }, (_, index) => recordsOf(kind, made + index, newId)).flat();
  const { writes, head, next } = seal(vault.integrity, organization, changes);
  if (head === undefined || next === undefined) throw new Error('nothing was sealed');
  const id = newId();
  const record = {
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
  const activity = toActivityRow(vault.integrity, record, 0);
  const [outcome] = await store.commit([{ organizationId, expected: organization.head, head, activity, writes }]);
  if (outcome?.taken !== true) throw new Error(`a batch was refused: ${JSON.stringify(outcome)}`);
  snapshots.replace(next);
}

const delay = monitorEventLoopDelay({ resolution: 1 });
const loads: number[] = [];
for (let load = 0; load < LOADS; load++) {
  snapshots.drop(organizationId);
  delay.reset();
  delay.enable();
  const startedAt = performance.now();
  await snapshots.get(organizationId);
  loads.push(performance.now() - startedAt);
  delay.disable();
}
process.send?.({ coldMs: loads.sort((a, b) => a - b)[Math.floor(LOADS / 2)], blockedMs: delay.max / 1e6 });
await close();
