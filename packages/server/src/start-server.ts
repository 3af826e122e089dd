import { basePaths, firstNames, ServiceError, setupLink } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import { accessAdvice } from './commands/doctor/access-advice.ts';
import {
  type Advice,
  connectionAdvice,
  hasOpenQuorum,
  mailAdvice,
  networkAdvice,
  quorumAdvice,
  standbyAdvice,
} from './commands/doctor/advice.ts';
import { certificateAdvice } from './commands/doctor/certificate-advice.ts';
import { rootKeyAdvice } from './commands/doctor/root-key-advice.ts';
import { describeSigning } from './commands/doctor/signing.ts';
import { createFirstOrganization, type Initialized } from './commands/initialize.ts';
import { ConfigError } from './config/config-error.ts';
import { consolePort } from './config/console-port.ts';
import { checkGasSponsors } from './config/gas-sponsors.ts';
import { createLogger } from './config/logger.ts';
import { paths } from './config/paths.ts';
import { createReload, type Reloaded } from './config/reload.ts';
import type { Config } from './config/settings.ts';
import { checkTransportSettings } from './http/transport/check-settings.ts';
import { createServicePorts } from './http/transport/server.ts';
import { chooseIsolation } from './isolation/choose-isolation.ts';
import type { Confinement } from './isolation/confinement.ts';
import type { ListenAddress, Ports } from './network/ports.ts';
import { isDevelopment } from './notify/mail/mailbox.ts';
import { openService, type Service } from './open-service.ts';
import { firstOrganizationId } from './organizations/first-organization.ts';
import { loadChecked } from './organizations/snapshot/load.ts';
import { consoleUrl, noteListening, origin } from './process/port-file.ts';
import { answerSealed } from './process/sealable/answer-sealed.ts';
import { startSealable } from './process/sealable/start-sealable.ts';
import { type RunningWorker, startWorker } from './process/start-worker.ts';
import { workerFiles } from './process/worker-files.ts';
import { startIsolated } from './process/workers/isolated-worker.ts';
import { startWorkers } from './process/workers/primary.ts';
import { startProcess, type Worker } from './process/workers/worker.ts';
import { checkTelemetrySettings } from './telemetry/open-telemetry.ts';
import type { Custody } from './vault/root-key/providers/shares/custody.ts';

/** What a service says when it serves. */
export interface ServerFacts {
  /** The base URL for clients of the specification. */
  readonly url: string;
  /** The base URL for clients of the compatible dialect. */
  readonly compatibleUrl: string;
  /** True if this startup created the first organization. */
  readonly firstRun: boolean;
  readonly credentialsFile: string;
  /** The URL of the console. Absent if the console is disabled. */
  readonly consoleUrl?: string;
  /**
   * The link for the root user to register a passkey. Present if this startup created the first organization and the console is enabled.
   * SECURITY: the first person who opens it becomes the root user. It is returned here once and never stored.
   */
  readonly setupLink?: string;
  readonly dataLocation: string;
  /** Information for the operator, one sentence each. */
  readonly facts: readonly string[];
  /** Settings that work but expose the service. */
  readonly warnings: readonly Advice[];
}

/** A running service, in one process or several. */
export interface RunningServer extends ServerFacts {
  /** Applies changed settings that need no restart. */
  reload(config: Config): Reloaded;
  close(): Promise<void>;
}

/** What the process that collects shares runs: in the same folder, as a module of the package and in the bundle of the command alike. */
const sealableEntry = new URL('./sealable-entry.js', import.meta.url);
const NO_PASSKEY =
  "no root user of the first organization has a passkey yet: 'countersign setup-link' makes a link to the console";

export interface StartOptions {
  /** Marks an installation that this startup creates as an example. */
  readonly isThrowAway?: boolean;
}

/**
 * Opens the installation (the first run creates it) and serves it until `close`.
 * INVARIANT: it listens before it opens or creates anything, so a taken port leaves no trace. Connections wait until the service is ready.
 */
export async function startServer(given: Config, options: StartOptions = {}): Promise<RunningServer> {
  checkTransportSettings(given);
  checkTelemetrySettings(given);
  checkGasSponsors(given);
  const { config, confinement, fact } = await chooseIsolation(given, workerFiles);
  const ports = createServicePorts(config);
  const port = await listen(config, ports);
  try {
    const { isThrowAway = false } = options;
    const running =
      config.unsealSocket === undefined
        ? await serve(config, { ports, port, isThrowAway, confinement })
        : await startSealed(config, ports, { port, isThrowAway });
    return {
      ...running,
      facts: [...running.facts, ...(fact === undefined ? [] : [fact])],
      // The choice was made at startup, so it is not a change.
      reload: (next) => running.reload(next.isolate === given.isolate ? { ...next, isolate: config.isolate } : next),
    };
  } catch (error) {
    ports.close();
    throw error;
  }
}

async function startSealed(
  config: Config,
  ports: Ports,
  start: { readonly port: number; readonly isThrowAway: boolean },
): Promise<RunningServer> {
  const { facts, ...service } = await startSealable<ServerFacts>(config, sealableEntry, ports, start);
  return { ...facts, ...service };
}

interface ServeOptions {
  readonly ports: Ports;
  readonly port: number;
  readonly isThrowAway: boolean;
  readonly confinement: Confinement | undefined;
  /** Present if the root key is in shares. */
  readonly custody?: Custody;
}

/** Opens the installation and serves it. */
export async function serve(config: Config, options: ServeOptions): Promise<RunningServer> {
  const { ports, port, isThrowAway, confinement, custody } = options;
  // SECURITY: an isolated core parses nothing from the network, so connections wait there.
  const isSealed = custody !== undefined && confinement === undefined;
  const sealed = isSealed ? answerSealed(config, ports, createLogger(config.logLevel), custody) : undefined;
  const service = await openService(config, { custody }).catch(async (error: unknown) => {
    await sealed?.close();
    throw error;
  });
  try {
    const withSetupKey = config.console !== 'off';
    const created = await createFirstOrganization(config, service.services, firstNames, { withSetupKey, isThrowAway });
    const { location: dataLocation, facts, advice } = await describe(config, service);
    const first = await lookAtFirstOrganization(service);
    const warnings = [
      ...networkAdvice(config),
      ...certificateAdvice(config),
      ...mailAdvice(config),
      ...advice,
      // An example has no keys worth protecting.
      ...(isThrowAway ? [] : rootKeyAdvice(config)),
      ...quorumAdvice(first.open),
    ];
    for (const { check, detail, fix } of warnings) service.log.warn({ check, fix }, detail);
    const running = await startProcesses(config, service, options);
    await sealed?.close();
    // Of a service in shares, the process that started this one has the port, and keeps it when it is sealed.
    const forgetPort = noteListening(config, port, custody === undefined ? process.pid : process.ppid);
    const at = origin(config, port);
    const { spec, turnkey } = basePaths(config.compatRoot);
    return {
      url: `${at}${spec}`,
      compatibleUrl: `${at}${turnkey}`,
      firstRun: created !== undefined,
      credentialsFile: paths.credentials(config),
      ...linksOf(consoleUrl(config, port), created),
      dataLocation,
      facts: [
        ...facts,
        ...(withSetupKey && created === undefined && !first.hasPasskey ? [NO_PASSKEY] : []),
        // An example has nothing to lose.
        ...(isThrowAway ? [] : first.access.map(({ detail, fix }) => `${detail}. ${fix}`)),
      ],
      warnings,
      reload: createReload(config, (next) => {
        service.log.level = next.logLevel;
        running.reload(next);
      }),
      async close() {
        forgetPort();
        await running.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

function linksOf(url: string | undefined, created: Initialized | undefined): Pick<RunningServer, 'consoleUrl' | 'setupLink'> {
  if (url === undefined) return {};
  const { setupToken: token, organizationId, userId } = created ?? {};
  if (token === undefined || organizationId === undefined || userId === undefined) return { consoleUrl: url };
  return { consoleUrl: url, setupLink: setupLink(url, { organizationId, userId, token }) };
}

/** Serves in this process, or in several. */
async function startProcesses(
  config: Config,
  service: Service,
  { ports, confinement, custody }: ServeOptions,
): Promise<Pick<RunningWorker, 'reload' | 'close'>> {
  const handKeys = () => custody?.copies() ?? [];
  const watched = (worker: Worker) => custody?.watch(worker) ?? worker;
  if (confinement !== undefined) {
    const { log, close } = service;
    // SECURITY: this process accepts connections, so it keeps no keys: only the cores have them.
    await close();
    return startWorkers(config, ports, log, (current) =>
      watched(startIsolated({ config: current, files: workerFiles, confinement, log, handKeys })),
    );
  }
  if (config.workers === 1) return startWorker(config, service, { ports });
  const workers = await startWorkers(config, ports, service.log, (current) =>
    watched(startProcess(current, workerFiles, handKeys)),
  );
  return {
    reload: workers.reload,
    async close() {
      await workers.close();
      await service.close();
    },
  };
}

async function listen(config: Config, ports: Ports): Promise<number> {
  try {
    return await ports.listen();
  } catch (error) {
    const failed = error as NodeJS.ErrnoException & Partial<ListenAddress>;
    const { code, host = config.host, port = config.port } = failed;
    const where = `${host} port ${port}`;
    if (code === 'EADDRINUSE')
      throw new ConfigError(
        `${where} is in use.`,
        port === consolePort(config)
          ? 'Stop what listens there, or choose another port with --console.'
          : port === config.adminListen?.port
            ? 'Stop what listens there, or choose another --admin-listen.'
            : 'Stop what listens there, or choose another --port (0 picks a free one).',
        { cause: error },
      );
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES')
      throw new ConfigError(`Cannot listen on ${where}.`, 'Choose another --host or a --port above 1023.', { cause: error });
    throw error;
  }
}

/** Checks only the operator's organization. There may be many others; `countersign doctor` checks all of them. */
async function lookAtFirstOrganization({ services: { store, vault } }: Service): Promise<{
  /** Its id, if each of several root users satisfies the root quorum alone. */
  readonly open: readonly string[];
  /** Whether one of its root users has a passkey. */
  readonly hasPasskey: boolean;
  /** What to do against a lock-out. */
  readonly access: readonly Advice[];
}> {
  const unknown = { open: [], hasPasskey: true, access: [] };
  const id = await firstOrganizationId(store);
  if (id === undefined) return unknown;
  try {
    const snapshot = await loadChecked(store.organizations, vault.integrity, () => {}, id);
    if (snapshot === undefined) return unknown;
    const { profile, authenticators } = snapshot;
    const hasPasskey = profile.rootQuorum.userIds.some((userId) => credentialsOfUser(authenticators, userId).size > 0);
    return { open: hasOpenQuorum(profile) ? [id] : [], hasPasskey, access: accessAdvice(snapshot) };
  } catch (error) {
    // State that does not verify is rejected when it is used. Other organizations must still be served.
    if (error instanceof ServiceError) return unknown;
    throw error;
  }
}

async function describe(
  config: Config,
  { services: { store, vault } }: Service,
): Promise<{ location: string; facts: string[]; advice: readonly Advice[] }> {
  const described = await store.describe();
  const { engine, engineVersion, location, durable } = described;
  return {
    location,
    advice: [...standbyAdvice(described), ...connectionAdvice(described)],
    facts: [
      `${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${engineVersion}${durable ? '' : ' (NOT DURABLE: a crash can lose acknowledged activities)'}`,
      `root key ${vault.facts.rootKeyId} from ${vault.facts.rootKeySource}`,
      isDevelopment(config)
        ? "no mail server is configured: mail stays in the development mailbox, which 'countersign mail' shows"
        : `mail is sent from ${config.mailFrom}`,
      describeSigning(vault.facts),
      ...vault.facts.warnings,
    ],
  };
}
