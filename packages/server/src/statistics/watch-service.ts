import type { Admission } from '../admission/index.ts';
import { VERSION } from '../config/version.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import type { Metrics } from './metrics.ts';

export interface WatchedParts {
  readonly admission: Pick<Admission, 'queued'>;
  readonly store: Pick<Store, 'connections'>;
  readonly vault: Pick<Vault, 'rootKey'>;
  readonly log: {
    lag(): { readonly unloggedMs: number; readonly witnesses: readonly { readonly name: string; readonly ageMs: number }[] };
  };
}

/** Reports the state of an open service. Nothing is computed until the metrics are read. */
export function watchService({ watch }: Pick<Metrics, 'watch'>, { admission, store, vault, log }: WatchedParts): void {
  watch({
    name: 'countersign_build_info',
    help: 'Always 1. The label is the version of the service',
    label: 'version',
    across: 'max',
    read: () => ({ [VERSION]: 1 }),
  });
  watch({
    name: 'countersign_queued_requests',
    help: 'Requests that wait for the processor, by whether the client has proved a credential',
    label: 'client',
    across: 'sum',
    read: () => ({ ...admission.queued() }),
  });
  watch({
    name: 'countersign_root_key_available',
    help: 'Whether the root key can be used: 1, or 0 after its loss',
    // One process that cannot use it is worth an alarm.
    across: 'min',
    read: () => (vault.rootKey().status === 'available' ? 1 : 0),
  });
  watch({
    name: 'countersign_log_lag_seconds',
    help: 'Age of the oldest activity that this server executed and that is not in the log yet',
    across: 'max',
    read: () => log.lag().unloggedMs / 1000,
  });
  watch({
    name: 'countersign_witness_age_seconds',
    help: 'Time since a witness confirmed the log, by witness',
    label: 'witness',
    // The process that asks least often knows the least.
    across: 'min',
    read: () => Object.fromEntries(log.lag().witnesses.map(({ name, ageMs }) => [name, ageMs / 1000])),
  });
  if (store.connections === undefined) return;
  const { connections } = store;
  watch({
    name: 'countersign_database_connections',
    help: 'Connections to PostgreSQL that are busy and idle, and requests that wait for one',
    label: 'state',
    across: 'sum',
    read() {
      const { open, idle, waiting } = connections();
      return { busy: open - idle, idle, waiting };
    },
  });
}
