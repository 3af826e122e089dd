import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import { openService } from '../../packages/server/src/open-service.ts';
import type { PipelineServices } from '../../packages/server/src/pipeline/services.ts';
import type { Growing } from './kinds.ts';
import { fillWithActivities } from './seed-activities.ts';
import { fillWithRecords } from './seed-records.ts';

// Fills organizations with records of one kind, as requests would. Then reads each whole organization from the database, and reports
// how long that took and how long it blocked the event loop.

/** An organization to fill. */
export interface Order {
  readonly dataDir: string;
  readonly organizationId: string;
  readonly kind: Growing;
  readonly count: number;
  /** PostgreSQL, or SQLite in the data directory if absent. */
  readonly databaseUrl?: string | undefined;
  /** Whether activities are of now. */
  readonly isRecent?: boolean;
}

/** What reading it cost. */
export interface ColdLoad {
  readonly coldMs: number;
  readonly blockedMs: number;
}

async function execute({ dataDir, organizationId, kind, count, databaseUrl, isRecent }: Order): Promise<ColdLoad> {
  const database = databaseUrl === undefined ? {} : { databaseUrl };
  const { services, close } = await openService(
    readConfig({ dataDir, snapshotMegabytes: '4096', databaseTimeoutSeconds: '120', ...database }, {}),
    {
      log: pino({ level: 'silent' }),
    },
  );
  try {
    if (kind === 'activities') await fillWithActivities(services, organizationId, count, isRecent);
    else await fillWithRecords(services, organizationId, kind, count);
    return await load(services.organizations.snapshots, organizationId);
  } finally {
    await close();
  }
}

/** The first reading counts: later ones find policies of the same content compiled. */
async function load(snapshots: PipelineServices['organizations']['snapshots'], organizationId: string): Promise<ColdLoad> {
  snapshots.drop(organizationId);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await snapshots.get(organizationId);
  const coldMs = performance.now() - startedAt;
  delay.disable();
  return { coldMs, blockedMs: delay.max / 1e6 };
}

process.on('message', (order: Order) => {
  void execute(order).then((cold) => process.send?.(cold));
});
process.send?.('ready');
await once(process, 'disconnect');
