import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { type ActivityReader, createActivityReader } from './activities/activities.ts';
import type { Alarm } from './snapshot/load.ts';
import { createResources, type Resources } from './snapshot/resources.ts';
import type { ProveHead } from './snapshot/snapshot-reader.ts';
import { createSnapshots, type Snapshots } from './snapshot/snapshots.ts';
import { createSuborgNames, type SuborgNames } from './snapshot/suborg-names.ts';

/** Reads organizations, with their keys, wallets and activities. Every row is verified. */
export interface Organizations {
  readonly snapshots: Snapshots;
  readonly resources: Resources;
  readonly suborgNames: SuborgNames;
  readonly activities: ActivityReader;
}

/** `alarm` is called for state that does not verify. `prove` compares heads with the log. `alarmLoads` is called if organizations are read in full often. */
export function openOrganizations(
  { snapshotMegabytes }: Pick<Config, 'snapshotMegabytes'>,
  store: Store,
  integrity: Integrity,
  alarm: Alarm,
  prove: ProveHead,
  alarmLoads?: (message: string) => void,
): Organizations {
  const snapshots = createSnapshots(store.organizations, integrity, alarm, prove, snapshotMegabytes * 1_048_576, alarmLoads);
  return {
    snapshots,
    resources: createResources(store, integrity, alarm, snapshots),
    suborgNames: createSuborgNames(store.lookups, integrity, alarm),
    activities: createActivityReader(store, integrity, alarm),
  };
}
