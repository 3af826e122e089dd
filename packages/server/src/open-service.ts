import { authorizeByPolicy } from '@countersign/judgement';
import type { Logger } from 'pino';
import { activateMailedKey } from './activities/credentials/mailed-keys.ts';
import { endsKeys } from './activities/ended-keys.ts';
import { executors } from './activities/index.ts';
import { openAdmission } from './admission/index.ts';
import { openAuth } from './auth/open-auth.ts';
import { openBacktest } from './backtest/open-backtest.ts';
import { withArchivedLeaves } from './backup/archived-leaves.ts';
import { refuseUnfinished } from './backup/unfinished.ts';
import { createChainReads } from './chain-nodes/chain-reads.ts';
import { createNodeShares } from './chain-nodes/node-shares.ts';
import { openChainNodes } from './chain-nodes/open-chain-nodes.ts';
import { limitsFrom } from './config/limits.ts';
import { createLogger } from './config/logger.ts';
import { makeDataDirectory, paths } from './config/paths.ts';
import type { Config } from './config/settings.ts';
import { type SystemClock, systemClock } from './installation/clock/system-clock.ts';
import type { Fence } from './installation/epoch/fence.ts';
import { refuseEmptied } from './installation/epoch/refuse-emptied.ts';
import { createIds, createOrganizationIds } from './installation/ids.ts';
import { knownCallerKey } from './installation/known-callers-file.ts';
import { openInstallation } from './installation/open-installation.ts';
import { CommitNotes } from './log/commit-notes.ts';
import { INSTALLATION } from './log/entry.ts';
import { createGuardedCommit } from './log/guarded-commit.ts';
import type { InstallationLog } from './log/installation-log.ts';
import { openLog, requireWitnesses } from './log/open-log.ts';
import { createHeadProver } from './log/prove-head.ts';
import { createUsageProver } from './log/prove-usage.ts';
import { UnloggedCommits } from './log/unlogged-commits.ts';
import { openMail, openPush, openWebhooks } from './notify/open-notify.ts';
import { openOrganizations } from './organizations/open-organizations.ts';
import { openShard } from './organizations/shard.ts';
import { tampered } from './organizations/snapshot/load.ts';
import { createCommitter } from './pipeline/commit/committer.ts';
import { createOrganizationLock } from './pipeline/commit/organization-lock.ts';
import { createReplayCache } from './pipeline/commit/replay-cache.ts';
import type { PipelineServices } from './pipeline/services.ts';
import { openSending } from './sending/sending.ts';
import { createAlarms } from './statistics/alarms.ts';
import { createLatencyRecorder } from './statistics/latency-recorder.ts';
import { createMetrics } from './statistics/metrics.ts';
import { createSessionRecorder } from './statistics/session-uses.ts';
import { watchService } from './statistics/watch-service.ts';
import { lockTimeoutMs, openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { openUsage } from './usage/open-usage.ts';
import { sealStoredRows } from './vault/at-rest/seal-stored-rows.ts';
import { sealStore } from './vault/at-rest/sealed-store.ts';
import type { VaultErrorHandlers } from './vault/guard-vault.ts';
import { openServiceVault } from './vault/open-vault-for.ts';
import type { RootKeyState } from './vault/root-key/availability.ts';
import type { Custody } from './vault/root-key/providers/shares/custody.ts';

/** An open installation: database, vault and pipeline, without a listener. */
export interface Service {
  readonly services: PipelineServices;
  readonly log: Logger;
  readonly fence: Fence;
  readonly installationLog: InstallationLog;
  /** The commits of this process, in the data directory. */
  readonly notes: CommitNotes;
  /** The time for background work. Reading it writes nothing. */
  readonly backgroundClock: PipelineServices['clock'];
  /** How far the installation's time is ahead of this machine's clock. */
  clockAheadMs(): number;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly log?: Logger;
  /** The system clocks by default; tests override them. */
  readonly system?: SystemClock;
  /** How the processes of a service share a root key that is in shares. */
  readonly custody?: Custody | undefined;
}

/** Opens all services of the pipeline, and marks the installation as in use. */
export async function openService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { log = createLogger(config.logLevel), system = systemClock } = options;
  requireWitnesses(config);
  const mail = openMail(config);
  const store = await openStore(config);
  try {
    await store.lockInstallation('shared');
    await refuseUnfinished(store.vault);
    await refuseEmptied(config, store);
    makeDataDirectory(config);
    return await openParts(config, store, mail, { ...options, log, system });
  } catch (error) {
    await store.close();
    throw error;
  }
}

type OpenOptions = ServiceOptions & Required<Pick<ServiceOptions, 'log' | 'system'>>;
type TamperedAbout = Parameters<VaultErrorHandlers['tampered']>;

/** Logs the loss and the return of a root key outside this process. */
function logRootKey(log: Logger): (state: RootKeyState) => void {
  return ({ status, reason }) => {
    if (status === 'available') log.warn('the root key is available again');
    else if (status === 'lost') log.error({ reason }, 'the root key was lost');
    else log.error({ reason }, 'the root key was lost, and data keys are no longer used: requests that need one are rejected');
  };
}

/** Opens the vault, which reports to alarms, metrics and the log. */
function openReportingVault(
  config: Config,
  database: Store,
  alarms: ReturnType<typeof createAlarms>,
  metrics: ReturnType<typeof createMetrics>,
  { log, custody }: OpenOptions,
): ReturnType<typeof openServiceVault> {
  const handlers = { alarm: alarms.state, tampered: (...about: TamperedAbout) => tampered(alarms.state, ...about) };
  const reports = {
    onRootKey: logRootKey(log),
    onRootKeyUsed: metrics.rootKeyUsed,
    report: (message: string) => log.warn(message),
  };
  return openServiceVault(config, database, handlers, reports, custody);
}

/** Opens the connections to chains. None is made before a call. */
function openChains(
  config: Config,
  metrics: ReturnType<typeof createMetrics>,
  log: Logger,
): Pick<PipelineServices, 'chainNodes' | 'chainReads' | 'planShares' | 'followShares'> {
  const chainNodes = openChainNodes(config, { request: metrics.chainRequest, disagreement: metrics.chainDisagreement }, log);
  const nowMs = () => performance.now();
  const { chainReadsPerOrganization: perSecond, chainHistoryBlocks: historyBlocks } = config;
  const limits = { perSecond, historyBlocks, onLimit: metrics.refused, nowMs };
  const shares = { perSecond: config.chainSendsPerOrganization, nowMs };
  return {
    chainNodes,
    chainReads: createChainReads(chainNodes, limits),
    planShares: createNodeShares(shares),
    followShares: createNodeShares(shares),
  };
}

/** Wires the parts together, each after the parts that it uses. */
async function openParts(
  config: Config,
  database: Store,
  mail: PipelineServices['notify']['mail'],
  options: OpenOptions,
): Promise<Service> {
  const { log, system } = options;
  const limits = limitsFrom(config);
  const metrics = createMetrics();
  const alarms = createAlarms(metrics, log, INSTALLATION);
  const vault = await openReportingVault(config, database, alarms, metrics, options);
  const { integrity } = vault;
  await sealStoredRows(database, vault.atRest, (message) => log.warn(message));
  const store = sealStore(database, vault.atRest);
  const { clock, fence } = await openInstallation(config, store, integrity, system, {
    clock: { warn: (message) => log.warn(message), alarm: alarms.clock },
    fenced: (what) => alarms.state(INSTALLATION, what),
  });
  const backgroundClock = { nowMs: clock.glanceMs };
  const organizations = openOrganizations(
    config,
    store,
    integrity,
    alarms.state,
    createHeadProver({
      store: store.log,
      integrity,
      epoch: fence.epoch.number,
      seen: () => transparencyLog.installation.seen(),
    }),
    alarms.loads,
  );
  const { snapshots, resources, activities } = organizations;
  metrics.watchSnapshots(snapshots.usage);
  const replayCache = createReplayCache();
  const notes = new CommitNotes(paths.commits(config), (error) =>
    log.warn({ err: error }, 'commits cannot be recorded in the data directory'),
  );
  const { logAlarmSeconds: alarmSeconds, logStopSeconds: stopSeconds } = config;
  const unlogged = new UnloggedCommits({ alarmSeconds, stopSeconds }, notes, alarms.state);
  const transparencyLog = openLog(config, {
    store,
    provable: withArchivedLeaves(store.log, { archive: store.archive, integrity, directory: paths.archive(config) }),
    vault,
    clock: backgroundClock,
    system,
    logger: log,
    alarm: alarms.state,
    epoch: fence.epoch.number,
    onReplayKeys: (keys) => replayCache.addKeys(keys, clock.glanceMs()),
    onHead(organizationId, version, step) {
      snapshots.expireBefore(organizationId, version);
      // SECURITY: D584: another process may have ended keys that are in plain in the memory of this one.
      if (endsKeys(step)) vault.forgetOrganization(organizationId);
    },
    unlogged,
  });
  const installationLog = transparencyLog.installation;
  const guarded = createGuardedCommit({ clock, fence, log: installationLog, unlogged });
  const proveUsage = createUsageProver({
    store: store.log,
    integrity,
    epoch: fence.epoch.number,
    seen: () => installationLog.seen(),
  });
  const admission = openAdmission(config, metrics.refused, (pair) => knownCallerKey(integrity, pair));
  const committer = createCommitter(guarded, metrics.commitBatch, admission.commitReady);
  const authorize = authorizeByPolicy;
  const newId = createIds(clock);
  const chains = openChains(config, metrics, log);
  const services: PipelineServices = {
    limits,
    clock,
    newId,
    newOrganizationId: createOrganizationIds(newId, await openShard(config, store)),
    executors,
    store,
    vault,
    organizations,
    auth: { ...openAuth(config, limits, vault.service), activateMailedKey },
    policies: { authorize, ...openBacktest({ store, activities, resources, authorize, clock }) },
    usage: openUsage(store, integrity, activities, proveUsage, clock),
    commits: {
      epoch: fence.epoch.number,
      committer,
      lock: createOrganizationLock({
        lockNodes: store.withLock,
        async refresh(organizationId) {
          const before = await snapshots.get(organizationId);
          return (await snapshots.current(organizationId)) !== before;
        },
        timeoutMs: lockTimeoutMs(config),
      }),
      replayCache,
    },
    log: transparencyLog,
    notify: { mail, webhooks: openWebhooks(config, store, snapshots, integrity, log), push: openPush(config) },
    ...chains,
    sending: openSending(config, {
      store,
      integrity,
      proveUsage,
      ...chains,
      onLimit: metrics.refused,
      tampered: activities.tampered,
    }),
    admission,
    statistics: {
      metrics,
      alarms,
      latencies: createLatencyRecorder(backgroundClock),
      sessions: createSessionRecorder({ store, integrity, clock: backgroundClock, alarm: alarms.state }),
    },
  };
  watchService(metrics, { admission, store, vault, log: installationLog });
  for (const warning of vault.facts.warnings) log.warn(warning);
  const close = once(() => closeParts({ services, clock, installationLog, notes, log }));
  return { services, log, fence, installationLog, notes, backgroundClock, clockAheadMs: clock.aheadMs, close };
}

/** Closes the parts, each before the parts that it uses. */
async function closeParts({
  services: { commits, chainNodes, notify, vault, store },
  clock,
  installationLog,
  notes,
  log,
}: Pick<Service, 'services' | 'installationLog' | 'notes' | 'log'> & {
  readonly clock: { close(): Promise<void> };
}): Promise<void> {
  await commits.committer.drain();
  await installationLog.stop();
  await clock.close();
  chainNodes.close();
  notify.mail.mail?.close();
  notify.mail.sms?.close();
  vault.close();
  notes.close();
  await store.close();
  log.flush();
}

/** Calls the function the first time only, and returns the same promise each time. */
function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
