import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { clockHighWater } from './clock/clock-high-water.ts';
import { type ClockReports, openServiceClock, type ServiceClock } from './clock/service-clock.ts';
import type { SystemClock } from './clock/system-clock.ts';
import { createFence, type Fence } from './epoch/fence.ts';
import { epochServices, openEpoch } from './epoch/open-epoch.ts';
import { openMachineBinding } from './machine-binding.ts';

/** The time and the epoch of an installation. They never go back, not even across a restart. */
export interface Installation {
  readonly clock: ServiceClock;
  readonly fence: Fence;
}

/** Reports to the operator. */
export interface InstallationReports {
  readonly clock: ClockReports;
  /** Another server has taken over the database. */
  fenced(what: string): void;
}

export async function openInstallation(
  config: Config,
  store: Store,
  integrity: Integrity,
  system: SystemClock,
  reports: InstallationReports,
): Promise<Installation> {
  await openMachineBinding(config, integrity);
  const clock = await openServiceClock(clockHighWater(store.vault, integrity), system, reports.clock);
  const epoch = await openEpoch(epochServices(config, store, integrity), clock.glanceMs());
  return { clock, fence: createFence({ store, integrity }, epoch, reports.fenced) };
}
