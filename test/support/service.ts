import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createFirstOrganization, type FirstCredentials } from '../../packages/server/src/commands/initialize.ts';
import { paths } from '../../packages/server/src/config/paths.ts';
import type { Config } from '../../packages/server/src/config/settings.ts';
import { createServicePorts } from '../../packages/server/src/http/transport/server.ts';
import type { SystemClock } from '../../packages/server/src/installation/clock/system-clock.ts';
import { openService } from '../../packages/server/src/open-service.ts';
import type { PipelineServices } from '../../packages/server/src/pipeline/services.ts';
import { startWorker } from '../../packages/server/src/process/start-worker.ts';
import { importApiKey } from './api-key.ts';
import { Caller } from './caller.ts';
import type { Installation } from './installation.ts';

/** A real service in this process, listening on its own port. */
export interface TestService {
  readonly url: string;
  readonly config: Config;
  /** The parts behind the listener, for tests that act as the service itself. */
  readonly services: PipelineServices;
  readonly first: FirstCredentials;
  /** The root user of the first organization. */
  readonly root: Caller;
  /** The whole log, at debug level and without redaction. */
  logText(): string;
  /** The alarms that were raised. */
  alarms(): readonly { organizationId: string; what: string }[];
  /** Moves the service's clock, not the caller's. */
  setAheadMs(aheadMs: number): void;
  close(): Promise<void>;
}

export interface ServiceChoice {
  readonly config?: Partial<Config>;
  /** The clocks of the machine, which the service's clock follows. `setAheadMs` then has no effect. */
  readonly system?: SystemClock;
  /** Replaces parts of the service, such as the authorizer. */
  readonly services?: (services: PipelineServices) => Partial<PipelineServices>;
}

/** Opens the installation, creating it on first use, and serves it. Several services may serve one installation. */
export async function startService(installation: Installation, choice: ServiceChoice = {}): Promise<TestService> {
  const config: Config = { ...installation.config, logLevel: 'debug', shutdownSeconds: 1, ...choice.config };
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  let aheadMs = 0;
  const { system } = choice;
  const opened = await openService(config, { log: pino({ level: 'debug' }, sink), ...(system && { system }) });
  try {
    const names = { organizationName: 'First organization', userName: 'Root user' };
    await createFirstOrganization(config, opened.services, names);
    const services: PipelineServices = {
      ...opened.services,
      ...(system === undefined && { clock: { nowMs: () => Date.now() + aheadMs } }),
      ...choice.services?.(opened.services),
    };
    const ports = createServicePorts(config);
    const port = await ports.listen();
    const worker = await startWorker(config, { ...opened, services, backgroundClock: services.clock }, { ports });
    const url = `http://127.0.0.1:${port}`;
    const first = JSON.parse(readFileSync(paths.credentials(config), 'utf8')) as FirstCredentials;
    return {
      url,
      config,
      services,
      first,
      root: new Caller(url, first.organizationId, importApiKey(first)),
      logText: () => lines.join(''),
      alarms: () => lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'stored state does not verify'),
      setAheadMs(ms) {
        aheadMs = ms;
      },
      close: worker.close,
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
