import type { Fault } from '../fault.ts';
import { clockSteps } from './clock-steps.ts';
import { damagedWal } from './damaged-wal.ts';
import { failOver, standby } from './fail-over.ts';
import { frozenPostgres } from './frozen-postgres.ts';
import { killPostgres } from './kill-postgres.ts';
import { killService } from './kill-service.ts';
import { killWorker } from './kill-worker.ts';
import { laggingFailOver } from './lagging-fail-over.ts';
import { overload } from './overload.ts';
import { rollingRestart } from './rolling-restart.ts';
import { slowClients } from './slow-clients.ts';
import { failingSync, fullDisk, readOnlyDisk } from './storage.ts';

/** Every fault of `npm run torture`, in the order of its table. */
export const faults: readonly Fault[] = [
  killService,
  killWorker,
  killPostgres,
  failOver,
  laggingFailOver,
  standby,
  frozenPostgres,
  fullDisk,
  readOnlyDisk,
  failingSync,
  damagedWal,
  clockSteps,
  rollingRestart,
  overload,
  slowClients,
];
