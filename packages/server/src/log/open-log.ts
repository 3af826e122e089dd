import type { Logger } from 'pino';
import { ConfigError } from '../config/config-error.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import type { SystemClock } from '../installation/clock/system-clock.ts';
import { firstOrganizationId } from '../organizations/first-organization.ts';
import { type Alarm, tampered } from '../organizations/snapshot/load.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { createLogAudit, type LogAudit } from './audit.ts';
import { checkpointPaths } from './checkpoint-file.ts';
import { InstallationLog } from './installation-log.ts';
import { createLongPoll, type LongPoll } from './long-poll.ts';
import { createLogProofs, type LogProofs } from './proofs.ts';
import { ReplayFiles } from './replay-files.ts';
import type { UnloggedCommits } from './unlogged-commits.ts';

/** The transparency log, as requests see it. */
export interface Log {
  readonly installation: Pick<InstallationLog, 'notify' | 'lossAcceptedAtMs'>;
  /** Log proofs that organizations can query. */
  readonly proofs: LogProofs;
  /** Exports the log for verification elsewhere. */
  readonly audit: LogAudit;
  /** Requests that wait for the next step of an organization. */
  readonly longPoll: LongPoll;
}

export interface OpenLogServices {
  readonly store: Store;
  /** The log with the leaves that are in archive files. */
  readonly provable: Store['log'];
  readonly vault: Vault;
  /** For background work. */
  readonly clock: { nowMs(): number };
  readonly system: SystemClock;
  readonly logger: Logger;
  readonly alarm: Alarm;
  /** Number of the epoch of this server. */
  readonly epoch: number;
  /** Called with the replay keys of activities in the log whose bodies could still be replayed, from any process. */
  onReplayKeys(keys: Uint32Array): void;
  /** Called for the version of the head in each new leaf, from any process. */
  onHead(organizationId: string, version: number, step: { readonly type: string; readonly status: string }): void;
  readonly unlogged: UnloggedCommits;
}

/** The log is not read yet: `installation.open` does that. */
export function openLog(config: Config, services: OpenLogServices): Log & { readonly installation: InstallationLog } {
  const { store, provable, vault, clock, system, logger, alarm, epoch, onReplayKeys, onHead, unlogged } = services;
  const installation = new InstallationLog({
    store: store.log,
    state: store,
    vault,
    origin: () => logOrigin(config, store),
    checkpointPaths: checkpointPaths(config),
    witnesses: config.witnesses,
    requireWitness: config.requireWitness,
    clock,
    system,
    log: logger,
    alarm,
    epoch,
    replayFiles: new ReplayFiles(paths.replayKeys(config), vault.integrity, (error) =>
      logger.warn({ err: error }, 'replay keys cannot be stored in the data directory: the next start will take longer'),
    ),
    onReplayKeys,
    onHead,
    unlogged,
  });
  const refuse = (organizationId: string, what: string) => tampered(alarm, organizationId, what);
  return {
    installation,
    proofs: createLogProofs(provable, vault.integrity, installation, refuse),
    audit: createLogAudit(provable, vault.integrity, installation, refuse),
    longPoll: createLongPoll(store.log),
  };
}

/** The name of the log in its checkpoints. */
export async function logOrigin(config: Config, store: Pick<Store, 'vault'>): Promise<string> {
  return config.logOrigin ?? `countersign/${(await firstOrganizationId(store)) ?? 'new'}`;
}

/** Throws ConfigError if a witness is required and none is configured. */
export function requireWitnesses({ requireWitness, witnesses }: Config): void {
  if (requireWitness === undefined || witnesses.length > 0) return;
  throw new ConfigError(
    '--require-witness is set, but no witness is configured.',
    "Pass one with --witnesses, as 'countersign witness' prints it, or omit --require-witness.",
  );
}
