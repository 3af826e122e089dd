import { existsSync } from 'node:fs';
import { ServiceError } from '@countersign/contract';
import { authorizeByPolicy } from '@countersign/judgement';
import { type Logger, pino } from 'pino';
import { openMailedKey } from './activities/credentials/mailed-keys.ts';
import { executors } from './activities/index.ts';
import { createLongAnswers, openAdmission } from './admission/index.ts';
import { VerifierCache } from './auth/api-key/verifier-cache.ts';
import { createKeySets } from './auth/oidc/key-sets.ts';
import { createOidc } from './auth/oidc/oidc.ts';
import { refuseUnfinished } from './backup/unfinished.ts';
import { limitsFrom } from './config/limits.ts';
import { makeDataDirectory, paths } from './config/paths.ts';
import { ConfigError } from './config/read-config.ts';
import type { Config } from './config/settings.ts';
import { clockHighWater } from './installation/clock/clock-high-water.ts';
import { openServiceClock } from './installation/clock/service-clock.ts';
import { type SystemClock, systemClock } from './installation/clock/system-clock.ts';
import { createFence, type Fence } from './installation/epoch/fence.ts';
import { type EpochServices, openEpoch } from './installation/epoch/open-epoch.ts';
import { createIds } from './installation/ids.ts';
import { createLogAudit } from './log/audit.ts';
import { INSTALLATION } from './log/entry.ts';
import { createInstallationLog } from './log/installation-log.ts';
import { openLastCommitFile, recordLastCommit } from './log/last-commit-file.ts';
import { type LogError, WitnessAbsent } from './log/log-error.ts';
import { createStepWaits } from './log/long-poll.ts';
import { createLogProofs } from './log/proofs.ts';
import { openMail, openPush, openWebhooks } from './notify/open-notify.ts';
import { firstOrganizationId } from './organizations/first-organization.ts';
import { openOrganizations } from './organizations/open-organizations.ts';
import { type Alarm, tampered } from './organizations/snapshot/load.ts';
import { openBacktest } from './pipeline/backtest/open-backtest.ts';
import { createCommitter } from './pipeline/commit/committer.ts';
import { createOrganizationLock } from './pipeline/commit/organization-lock.ts';
import { createReplayCache } from './pipeline/commit/replay-cache.ts';
import { createKeptAnswers } from './pipeline/kept-answers.ts';
import type { PipelineServices } from './pipeline/services.ts';
import { createDurationBook } from './statistics/latency-recorder.ts';
import { createMetrics, type Metrics } from './statistics/metrics.ts';
import { openSqlite } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';
import { StoreError } from './store/store-errors.ts';
import { openUsage } from './usage/open-usage.ts';
import { guardVault } from './vault/guard-vault.ts';
import { INTEGRITY_KEY_SETTING } from './vault/integrity/integrity-key.ts';
import { openVault } from './vault/open-vault.ts';
import { openRootKeys } from './vault/root-key/providers/providers.ts';
import type { Vault } from './vault/vault.ts';

/** An open installation: database, vault and pipeline, without a listener. */
export interface Service {
  readonly services: PipelineServices;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly alarm: Alarm;
  readonly fence: Fence;
  /** The time for background work. Reading it writes nothing. */
  readonly backgroundClock: PipelineServices['clock'];
  close(): Promise<void>;
}

/** Opens the configured database. Throws StoreError with a fix if it cannot be used. */
export async function openStore(config: Config, { acceptLostWal = false } = {}): Promise<Store> {
  if (config.databaseUrl !== undefined) {
    const { databaseUrl: url, databasePool: poolSize, allowUnsafeDatabase: allowUnsafe } = config;
    // Imported lazily: loading the driver takes a tenth of the startup time of a server that does not use it.
    const { openPostgres } = await import('./store/postgres/open.ts');
    return openPostgres({ url, poolSize, allowUnsafe, statementTimeoutMs: config.databaseTimeoutSeconds * 1000 });
  }
  makeDataDirectory(config);
  return openSqlite({ file: paths.database(config), acceptLostWal });
}

/** The name of the log in its checkpoints. */
export async function logOrigin(config: Config, store: Pick<Store, 'vault'>): Promise<string> {
  return config.logOrigin ?? `countersign/${(await firstOrganizationId(store)) ?? 'new'}`;
}

/** The dependencies for checking the epoch of an installation. */
export function epochServices(config: Config, store: Store, { integrity }: Pick<Vault, 'integrity'>): EpochServices {
  return { store: store.vault, integrity, file: paths.epochFile(config), ownsDatabase: config.databaseUrl === undefined };
}

/**
 * Throws StoreError if the database is empty but the data directory has been used before: it must not become a new installation. A SQLite
 * file that was copied without its write-ahead log looks empty, because the log may contain everything.
 */
export async function refuseEmptied(config: Config, store: Store): Promise<void> {
  if (!existsSync(paths.epochFile(config)) || (await store.vault.setting(INTEGRITY_KEY_SETTING)) !== undefined) return;
  throw new StoreError(
    'The database is empty, and this data directory has served one: it was lost, or copied without its write-ahead log.',
    `Bring the database back with all its files, or restore a backup. For a new installation, use another --data-dir.`,
  );
}

/** All files that store the last checkpoint. */
export function logAnchors(config: Config): readonly string[] {
  return [paths.logAnchor(config), ...(config.logAnchor === undefined ? [] : [config.logAnchor])];
}

/** SECURITY: bodies, stamps and results never reach the logger. These redacted paths are a second line of defence. */
export function createLog(config: Config): Logger {
  const redact = ['req.headers', 'headers', 'body', 'stamp', 'apiPrivateKey', 'passphrase'];
  return pino(
    { level: config.logLevel, base: { pid: process.pid }, redact: { paths: redact, censor: '[redacted]' } },
    pino.destination({ dest: 2, sync: false }),
  );
}

export interface ServiceOptions {
  readonly log?: Logger;
  /** The system clocks by default; tests override them. */
  readonly system?: SystemClock;
}

/** Opens all services of the pipeline, and marks the installation as in use. */
export async function openService(
  config: Config,
  { log = createLog(config), system = systemClock }: ServiceOptions = {},
): Promise<Service> {
  if (config.requireWitness !== undefined && config.witnesses.length === 0)
    throw new ConfigError(
      '--require-witness is set, and there is no witness.',
      "Name one with --witnesses, as 'countersign witness' prints it, or leave --require-witness out.",
    );
  const mail = openMail(config);
  const store = await openStore(config);
  try {
    await store.hold('shared');
    await refuseUnfinished(store.vault);
    await refuseEmptied(config, store);
    makeDataDirectory(config);
    const opened = await openVault({ store, rootKeys: openRootKeys(config, store) });
    const metrics = createMetrics();
    const alarm = (organizationId: string, what: string) => {
      metrics.stateAlarm();
      log.error({ organizationId, what }, 'stored state does not verify');
    };
    const vault = guardVault(opened, { alarm, tampered: (...about) => tampered(alarm, ...about) });
    const organizations = openOrganizations(store, vault.integrity, alarm, config.snapshotMegabytes * 1_048_576);
    metrics.watchSnapshots(organizations.snapshots.usage);
    const clock = await openServiceClock(clockHighWater(store.vault, vault.integrity), system, {
      warn: (message) => log.warn(message),
      alarm(message) {
        metrics.clockAlarm();
        log.error(message);
      },
    });
    const epoch = await openEpoch(epochServices(config, store, vault), clock.glanceMs());
    const lastCommits = openLastCommitFile(paths.lastCommits(config), (error) =>
      log.warn({ err: error }, 'commits cannot be noted in the data directory'),
    );
    const fence = createFence({ store, integrity: vault.integrity }, epoch, (what) => alarm(INSTALLATION, what));
    // INVARIANT: a commit depends only on times that no restart can repeat, and belongs to this server's epoch.
    // INVARIANT: no commit is made if the database is behind, or differs from, the state that this process has seen.
    const commit: Store['commit'] = async (batch) => {
      await clock.settled();
      const fault = installationLog.fault();
      if (fault !== undefined) throw refusalFor(fault);
      const outcomes = await fence.commit(batch);
      await recordLastCommit(lastCommits, batch, outcomes);
      return outcomes;
    };
    const admission = openAdmission(config, metrics.refused);
    const committer = createCommitter({ commit }, metrics.commitBatch, admission.commitReady);
    const limits = limitsFrom(config);
    const replayCache = createReplayCache();
    const installationLog = createInstallationLog({
      store: store.log,
      vault,
      origin: () => logOrigin(config, store),
      anchorFiles: logAnchors(config),
      witnesses: config.witnesses,
      requireWitness: config.requireWitness,
      clock: { nowMs: clock.glanceMs },
      system,
      log,
      alarm,
      onFingerprint: (organizationId, fingerprint) => replayCache.add(organizationId, fingerprint, clock.glanceMs()),
    });
    const { activities, resources } = organizations;
    const services: PipelineServices = {
      limits,
      clock,
      newId: createIds(clock),
      executors,
      store,
      vault,
      organizations,
      auth: {
        stampRules: { verifiers: new VerifierCache(), passkeys: limits },
        oidc: createOidc(config.oidcIssuers, createKeySets()),
        openMailedKey,
      },
      policies: {
        authorize: authorizeByPolicy,
        ...openBacktest({ store, activities, resources, authorize: authorizeByPolicy, clock }),
      },
      usage: openUsage(store, vault.integrity, activities, clock),
      commits: { committer, lock: createOrganizationLock(store.inTurn), replayCache },
      log: {
        installation: installationLog,
        audit: createLogAudit(store.log, vault.integrity, installationLog, (...about) => tampered(alarm, ...about)),
        proofs: createLogProofs(store.log, vault.integrity, installationLog, (...about) => tampered(alarm, ...about)),
        longPoll: createStepWaits(store.log),
      },
      notify: {
        mail,
        webhooks: openWebhooks(config, store, organizations.snapshots, vault.integrity, log),
        push: openPush(config),
      },
      admission,
      statistics: {
        metrics,
        latencies: createDurationBook({ nowMs: clock.glanceMs }),
        onGuessing(organizationId, { of, submitterId, untilMs }) {
          metrics.guessing(of);
          const waitsUntil = new Date(untilMs).toISOString();
          log.error({ organizationId, of, submitterId, waitsUntil }, 'one-time codes are being guessed');
        },
      },
      keptAnswers: createKeptAnswers(),
      longAnswers: createLongAnswers(),
    };
    for (const warning of vault.facts.warnings) log.warn(warning);
    return {
      services,
      metrics,
      log,
      alarm,
      fence,
      backgroundClock: { nowMs: clock.glanceMs },
      async close() {
        await committer.drain();
        await installationLog.stop();
        await clock.close();
        mail.mail?.close();
        mail.sms?.close();
        vault.close();
        lastCommits.close();
        await store.close();
        log.flush();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** SECURITY: callers learn that requests are suspended. The cause is only for the operator. */
function refusalFor(fault: LogError): ServiceError {
  const reason =
    fault instanceof WitnessAbsent
      ? 'no witness has confirmed the log of this installation lately'
      : 'the database is not what this server or a witness has seen';
  return new ServiceError(
    'UNAVAILABLE',
    `Nothing is carried out now: ${reason}. The operator finds the cause in the log of the server and with countersign doctor.`,
  );
}
